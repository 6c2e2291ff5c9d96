#!/usr/bin/env python3
"""Further recordings of metrics and initializers, made by the harness of the given recordings (`record/harness.py` beside
them):

    PYTHONPATH=RECORD:RECORD/helpers PYTHON RECORD/harness.py tests/recordings/further_metrics.py OUT/keras3/losses_metrics
    tests/recordings/further_metrics.py OUT        # what TensorFlow says in each error, without nodes

RECORD is the folder `record`, and PYTHON one with tensorflow==2.15.1 (keras2) or tensorflow==2.21.0 (keras3).
`pack.py OUT losses_metrics --name further_metrics` packs them.
"""

import json
import pathlib
import re
import sys

# class, data, options, and whether there is a weight for each label instead of one for each row
METRICS = {
    "accuracy": ("Accuracy", "classes", {}),
    "accuracy_real": ("Accuracy", "ties", {}),
    "cathinge": ("CategoricalHinge", "onehot", {}),
    "cathinge3": ("CategoricalHinge", "onehot3", {}),
    "cosine": ("CosineSimilarity", "unit", {}),
    "cosine_axis0": ("CosineSimilarity", "real", {"axis": 0}),
    "cosine_axis1": ("CosineSimilarity", "real3", {"axis": 1}),
    "rmse": ("RootMeanSquaredError", "real", {}),
    "rmse3": ("RootMeanSquaredError", "real3", {}),
    "rmse_squeeze": ("RootMeanSquaredError", "flat_column", {}),
    "mae_squeeze": ("MeanAbsoluteError", "flat_column", {}),
    "conc": ("ConcordanceCorrelation", "real", {}),
    "conc3": ("ConcordanceCorrelation", "real3", {"axis": 1}),
    "pears3": ("PearsonCorrelation", "real3", {"axis": 1}),
    "tn": ("TrueNegatives", "scores", {}),
    "tn2": ("TrueNegatives", "scores", {"thresholds": [0.0, 0.5, 1.0]}),
    "tp_multi": ("TruePositives", "scores_multi", {"thresholds": [0.25, 0.5]}),
    "fp_flat": ("FalsePositives", "scores_flat", {}),
    "sens": ("SensitivityAtSpecificity", "scores", {"specificity": 0.5}),
    "sens1": ("SensitivityAtSpecificity", "scores", {"specificity": 0.5, "num_thresholds": 1}),
    "spec_class": ("SpecificityAtSensitivity", "scores_multi", {"sensitivity": 0.5, "class_id": 1, "num_thresholds": 11}),
    "par_class": ("PrecisionAtRecall", "scores_multi", {"recall": 0.7, "class_id": 2}),
    "auc_major": ("AUC", "scores", {"summation_method": "majoring"}),
    "auc_minor_roc": ("AUC", "scores", {"summation_method": "minoring", "num_thresholds": 7}),
    "auc_pr_major": ("AUC", "scores", {"curve": "PR", "summation_method": "majoring", "num_thresholds": 13}),
    "auc_gain": ("AUC", "scores", {"curve": "PRGAIN", "num_thresholds": 13}),
    "auc_label_weights": ("AUC", "scores_multi", {"label_weights": [0.2, 0.3, 0.5], "num_thresholds": 9}),
    "auc_multi_pr": ("AUC", "scores_multi", {"multi_label": True, "curve": "PR"}),
    "auc_multi_thr": ("AUC", "scores_multi", {"multi_label": True, "thresholds": [0.1, 0.7, 0.4]}),
    "auc_flat": ("AUC", "scores_flat", {}),
    "auc_multi_logits": ("AUC", "scores_multi", {"multi_label": True, "from_logits": True, "num_thresholds": 5, "label_weights": [1.0, 0.0, 2.0]}),
    "auc_3d": ("AUC", "binary3", {"num_thresholds": 11}),
    "auc_2": ("AUC", "scores", {"num_thresholds": 2}),
    "precision_top2": ("Precision", "scores_multi", {"top_k": 2}),
    "precision_top2_thr": ("Precision", "scores_multi", {"top_k": 2, "thresholds": [0.5, 0.9]}),
    "precision_ties": ("Precision", "ties", {"top_k": 2}),
    "precision_flat": ("Precision", "scores_flat", {}),
    "precision_even": ("Precision", "scores", {"thresholds": [0.0, 0.25, 0.5, 0.75, 1.0]}),
    "precision_top9": ("Precision", "scores_multi", {"top_k": 9}),
    "recall_thr": ("Recall", "scores_multi", {"thresholds": [0.3, 0.6]}),
    "recall_3d": ("Recall", "binary3", {}),
    "recall_3d_top": ("Recall", "binary3", {"top_k": 2}),
    "recall_class_top": ("Recall", "scores_multi", {"class_id": 1, "top_k": 2}),
    "f1_none": ("F1Score", "scores_multi", {}),
    "f1_weighted": ("F1Score", "onehot", {"average": "weighted"}),
    "f1_macro": ("F1Score", "onehot", {"average": "macro"}),
    "f1_micro_none": ("F1Score", "ties", {"average": "micro"}),
    "f1_3d": ("F1Score", "binary3", {}),
    "fbeta_half": ("FBetaScore", "scores_multi", {"beta": 0.5, "threshold": 0.4, "average": "macro"}),
    "fbeta_none": ("FBetaScore", "onehot", {"beta": 3.0}),
    "biou": ("BinaryIoU", "binary", {}),
    "biou_t": ("BinaryIoU", "binary1", {"threshold": 0.3, "target_class_ids": [1]}),
    "iou_pred": ("IoU", "sparse", {"num_classes": 4, "target_class_ids": [0, 1, 3], "sparse_y_pred": False}),
    "miou": ("MeanIoU", "classes", {"num_classes": 4}),
    "miou_axis1": ("MeanIoU", "onehot_axis1", {"num_classes": 4, "sparse_y_true": False, "sparse_y_pred": False, "axis": 1}),
    "miou_5": ("MeanIoU", "classes", {"num_classes": 6}),
    "ohmiou_ig": ("OneHotMeanIoU", "onehot", {"num_classes": 4, "ignore_class": 0}),
    "ohiou_sp": ("OneHotIoU", "onehot", {"num_classes": 4, "target_class_ids": [0]}),
    "miou_3d": ("MeanIoU", "onehot3", {"num_classes": 4, "sparse_y_true": False, "sparse_y_pred": False}),
    "r2_var": ("R2Score", "real3x", {"class_aggregation": "variance_weighted_average", "num_regressors": 1}),
    "r2_unif": ("R2Score", "real", {"num_regressors": 50}),
    "r2_none": ("R2Score", "real", {"class_aggregation": None}),
    "r2_3d": ("R2Score", "real3", {}),
    "r2_col": ("R2Score", "flat_column", {}),
    "bce_logits": ("BinaryCrossentropy", "binary_logits", {"from_logits": True, "label_smoothing": 0.2}),
    "bce3": ("BinaryCrossentropy", "binary3", {}),
    "bce1": ("BinaryCrossentropy", "binary1", {}),
    "cce_axis": ("CategoricalCrossentropy", "onehot_axis1", {"axis": 1}),
    "cce3": ("CategoricalCrossentropy", "onehot3", {"label_smoothing": 0.1}),
    "cce_raw": ("CategoricalCrossentropy", "onehot_raw", {}),
    "scce_logits": ("SparseCategoricalCrossentropy", "sparse_logits", {"from_logits": True}),
    "scce3": ("SparseCategoricalCrossentropy", "sparse3", {}),
    "scce_minus": ("SparseCategoricalCrossentropy", "sparse_minus", {"ignore_class": -1}),
    "scce_col": ("SparseCategoricalCrossentropy", "sparse_column", {}),
    "scce_raw": ("SparseCategoricalCrossentropy", "sparse_raw", {}),
    "scce_ig1": ("SparseCategoricalCrossentropy", "sparse", {"ignore_class": 2}),
    "sacc3": ("SparseCategoricalAccuracy", "sparse3", {}),
    "cacc_ties": ("CategoricalAccuracy", "ties", {}),
    "stop": ("SparseTopKCategoricalAccuracy", "sparse", {"k": 1}),
    "stopcol": ("SparseTopKCategoricalAccuracy", "sparse_column", {"k": 3}),
    "top3d": ("TopKCategoricalAccuracy", "onehot3", {"k": 2}),
    "bacc1": ("BinaryAccuracy", "binary1", {}),
    "bacc3": ("BinaryAccuracy", "binary3", {"threshold": 0.7}),
    "mape3": ("MeanAbsolutePercentageError", "real3", {}),
    "msle3": ("MeanSquaredLogarithmicError", "positive", {}),
    "kl3": ("KLDivergence", "distribution", {}),
    "hinge01": ("Hinge", "hinge01", {}),
    "sq": ("SquaredHinge", "hinge", {}),
    "logcosh3": ("LogCoshError", "real3", {}),
    "poisson_squeeze": ("Poisson", "flat_column", {}),
    "mse_int": ("MeanSquaredError", "int_labels", {}),
    "mre": ("MeanRelativeError", "real", {"normalizer": [1.0, 2.0, 0.0, 4.0]}),
}
WITH_WEIGHTS_OF_LABELS = [
    "rmse3",
    "tp_multi",
    "auc_multi_pr",
    "recall_3d",
    "iou_pred",
    "miou_3d",
    "r2_var",
    "bce3",
    "scce3",
    "sacc3",
    "cacc_ties",
    "bacc3",
    "mape3",
]
ONLY_IN_KERAS_3 = ["auc_gain"]

INITIALIZERS = {
    "const": ("Constant", {"value": 0.3}),
    "he_normal": ("HeNormal", {}),
    "vs_in": ("VarianceScaling", {"scale": 0.5, "mode": "fan_in", "distribution": "truncated_normal"}),
    "vs_avg": ("VarianceScaling", {"scale": 3.0, "mode": "fan_avg", "distribution": "uniform"}),
    "ident": ("Identity", {}),
    "ru": ("RandomUniform", {"minval": -2.0, "maxval": 5.0}),
    "rn": ("RandomNormal", {}),
    "tn": ("TruncatedNormal", {}),
    "orth": ("Orthogonal", {}),
}


def register() -> None:
    import importlib.metadata

    import losses_metrics as cases

    is_three = importlib.metadata.version("keras").startswith("3.")
    for name, (kind, data, options) in METRICS.items():
        if name in ONLY_IN_KERAS_3 and not is_three:
            continue
        cases.metric("further_" + name, kind, data, options)
        if name in WITH_WEIGHTS_OF_LABELS:
            cases.metric(f"further_{name}_full", kind, data, options, weights="all")
    for name, (kind, options) in INITIALIZERS.items():
        seeds = (None,) if kind in ("Constant", "Identity") else (0, 3)
        cases.initializer("further_" + name, kind, options, seeds=seeds)


def add_sentences(folder: pathlib.Path) -> None:
    for path in folder.rglob("case.json"):
        case = json.loads(path.read_text())
        for error in filter(None, case["errors"].values()):
            text = re.sub(r"^\{\{function_node [^}]*\}\} ", "", error["text"])
            error["sentence"] = re.sub(r" \[Op:\w+\].*$", "", text, flags=re.DOTALL)
            error["python"] = error["type"] in ("AttributeError", "TypeError")
        path.write_text(json.dumps(case, indent=1))


if __name__ == "__main__":
    add_sentences(pathlib.Path(sys.argv[1]))
else:
    register()
