#!/usr/bin/env python3
"""Further recordings of losses, activations, regularizers and constraints, made by the harness of the given recordings
(`record/harness.py` beside them):

    PYTHONPATH=RECORD:RECORD/helpers PYTHON RECORD/harness.py tests/recordings/further_losses.py OUT/keras3/losses_metrics

RECORD is the folder `record`, and PYTHON one with tensorflow==2.15.1 (keras2) or tensorflow==2.21.0 (keras3).
`pack.py OUT losses_metrics --name further_losses` packs them.
"""

import losses_metrics as given

# name: class, data, options, whether only Keras 3 has it
LOSSES = {
    "bce_smooth": ("BinaryCrossentropy", "binary", {"label_smoothing": 0.3}, False),
    "bce_axis1": ("BinaryCrossentropy", "binary3", {"axis": 1}, False),
    "bce_axis0_logits": ("BinaryCrossentropy", "binary_logits", {"axis": 0, "from_logits": True}, False),
    "bce_column": ("BinaryCrossentropy", "binary1", {}, False),
    "bfocal_logits": ("BinaryFocalCrossentropy", "binary_logits", {"from_logits": True}, False),
    "bfocal_smooth": ("BinaryFocalCrossentropy", "binary", {"label_smoothing": 0.1, "gamma": 0.7}, False),
    "bfocal_zero": ("BinaryFocalCrossentropy", "binary3", {"gamma": 0.0, "apply_class_balancing": True}, False),
    "bfocal_axis": ("BinaryFocalCrossentropy", "binary3", {"axis": 1, "gamma": 3.0}, False),
    "cce_smooth": ("CategoricalCrossentropy", "onehot", {"label_smoothing": 0.2}, False),
    "cce_axis_smooth": ("CategoricalCrossentropy", "onehot_axis1", {"axis": 1, "label_smoothing": 0.2}, False),
    "cce3_logits": ("CategoricalCrossentropy", "onehot3_logits", {"from_logits": True}, False),
    "cce_axis_logits": ("CategoricalCrossentropy", "onehot_axis1", {"axis": 1, "from_logits": True}, False),
    "cfocal_raw": ("CategoricalFocalCrossentropy", "onehot_raw", {}, False),
    "cfocal_axis": ("CategoricalFocalCrossentropy", "onehot_axis1", {"axis": 1, "gamma": 1.5}, False),
    "cfocal_smooth": ("CategoricalFocalCrossentropy", "onehot3", {"label_smoothing": 0.1, "alpha": 0.5}, False),
    "cfocal_axis_logits": ("CategoricalFocalCrossentropy", "onehot_axis1", {"axis": 1, "from_logits": True}, False),
    "sparse_column": ("SparseCategoricalCrossentropy", "sparse_column", {}, False),
    "sparse_ignore_logits": ("SparseCategoricalCrossentropy", "sparse_ignore_logits", {"ignore_class": 2, "from_logits": True}, False),
    "sparse_ignore0": ("SparseCategoricalCrossentropy", "sparse3", {"ignore_class": 0}, False),
    "sparse_ignore_column": ("SparseCategoricalCrossentropy", "sparse_column", {"ignore_class": 1}, False),
    "sparse_axis": ("SparseCategoricalCrossentropy", "sparse3", {"axis": 1}, True),
    "kl": ("KLDivergence", "distribution", {}, False),
    "kl3": ("KLDivergence", "onehot3", {}, False),
    "poisson3": ("Poisson", "binary3", {}, False),
    "poisson_signed": ("Poisson", "signed", {}, False),
    "hinge3": ("Hinge", "binary3", {}, False),
    "sqhinge01": ("SquaredHinge", "hinge01", {}, False),
    "hinge_squeeze": ("Hinge", "flat_column", {}, False),
    "cathinge3": ("CategoricalHinge", "onehot3", {}, False),
    "cathinge_ties": ("CategoricalHinge", "ties", {}, False),
    "mse3": ("MeanSquaredError", "real3", {}, False),
    "mae3": ("MeanAbsoluteError", "real3", {}, False),
    "mae_int": ("MeanAbsoluteError", "int_labels", {}, False),
    "mape3": ("MeanAbsolutePercentageError", "real3", {}, False),
    "msle3": ("MeanSquaredLogarithmicError", "binary3", {}, False),
    "huber_half": ("Huber", "real", {"delta": 0.5}, False),
    "logcosh3": ("LogCosh", "real3", {}, False),
    "cosine3_axis1": ("CosineSimilarity", "real3", {"axis": 1}, False),
    "cosine_squeeze": ("CosineSimilarity", "flat_column", {}, False),
    "huber_squeeze": ("Huber", "flat_column", {}, False),
    "mae_squeeze": ("MeanAbsoluteError", "flat_column", {}, False),
    "dice3_axis": ("Dice", "binary3", {"axis": [1, 2]}, True),
    "dice_axis1": ("Dice", "binary3", {"axis": 1}, True),
    "tversky3_axis": ("Tversky", "binary3", {"alpha": 0.2, "beta": 0.9, "axis": [1, 2]}, True),
    "tversky": ("Tversky", "binary3", {}, True),
    "circle_default": ("Circle", "sparse", {}, True),
    "circle_diagonal": ("Circle", "sparse", {"remove_diagonal": False, "gamma": 1.0, "margin": 0.25}, True),
    "circle_column": ("Circle", "sparse_column", {"gamma": 3.0}, True),
    "gce_default": ("CategoricalGeneralizedCrossEntropy", "sparse", {}, True),
    "gce_raw": ("CategoricalGeneralizedCrossEntropy", "sparse_raw", {"q": 0.3}, True),
    "ctc": ("CTC", "ctc", {}, True),
    "ctc_short": ("CTC", "ctc_short", {}, True),
    "ctc_repeats": ("CTC", "ctc_repeats", {}, True),
}

ACTIVATIONS = {
    "celu": ("celu", {}), "celu_alpha": ("celu", {"alpha": 0.4}), "sparse_plus": ("sparse_plus", {}),
    "softsign": ("softsign", {}), "tanh": ("tanh", {}), "tanh_shrink": ("tanh_shrink", {}), "mish": ("mish", {}),
    "linear": ("linear", {}), "leaky": ("leaky_relu", {"negative_slope": 0.3}), "leaky_steep": ("leaky_relu", {"negative_slope": 1.5}),
    "squareplus": ("squareplus", {"b": 2}), "hard_shrink": ("hard_shrink", {"threshold": 1.0}),
    "soft_shrink": ("soft_shrink", {"threshold": 1.0}), "threshold": ("threshold", {"threshold": 1.0, "default_value": -2.0}),
    "relu_slope": ("relu", {"alpha": 0.2}), "relu_slope_max": ("relu", {"alpha": 0.2, "max_value": 6.0}),
    "relu_slope_threshold": ("relu", {"alpha": 0.2, "threshold": -1.5}), "elu_steep": ("elu", {"alpha": 1.7}),
    "hard_swish": ("hard_swish", {}),
}
MATRICES = {
    "softmax": ("softmax", {}), "softmax_axis0": ("softmax", {"axis": -2}), "log_softmax": ("log_softmax", {}),
    "log_softmax_axis0": ("log_softmax", {"axis": 0}), "sparsemax": ("sparsemax", {}), "sparsemax_axis0": ("sparsemax", {"axis": 0}),
    "glu": ("glu", {}), "glu_axis0": ("glu", {"axis": 0}), "glu_axis1": ("glu", {"axis": 1}), "softmax_axis1": ("softmax", {"axis": 1}),
}

plain_pair = given.pair


def pair(kind, np, turn=0):
    """Labels and logits for CTC, and those of the given recordings."""
    if not kind.startswith("ctc"):
        return plain_pair(kind, np, turn)
    rng = np.random.default_rng(7 + turn)
    steps, classes = (3 if kind == "ctc_short" else 12), 5
    y = rng.integers(1, classes, (5, 4)).astype("int64")
    if kind == "ctc_repeats":
        y[:, 1] = y[:, 0]
    for row in range(5):
        y[row, 4 - row if kind != "ctc_short" else 2 - row % 3:] = 0
    return y, rng.standard_normal((5, steps, classes)).astype("float32")


given.pair = pair
for name, (of, kind, options, only3) in LOSSES.items():
    given.loss("further_" + name, of, kind, options, only3=only3)
for name, (function, options) in ACTIVATIONS.items():
    given.activation("further_" + name, function, options)
for name, (function, options) in MATRICES.items():
    given.activation("further_" + name, function, options, matrix=True)
for name, of, options in [
    ("l1_default", "L1", {}), ("l1_text", "l1", {}), ("L2_text", "L2", {}), ("l1l2_default", "L1L2", {}), ("l1l2_one", "L1L2", {"l2": 0.1}),
    ("orthogonal", "OrthogonalRegularizer", {}), ("orthogonal_columns", "OrthogonalRegularizer", {"factor": 0.2, "mode": "columns"}),
    ("orthogonal_text", "orthogonal_regularizer", {}), ("unknown_text", "nothing", {}), ("mode", "OrthogonalRegularizer", {"mode": "diagonal"}),
]:
    given.regularizer("further_" + name, of, options)
for name, of, options in [
    ("unit", "UnitNorm", {}), ("unit_last", "UnitNorm", {"axis": -1}), ("unit_list", "UnitNorm", {"axis": [0, 1]}),
    ("max_axis2", "MaxNorm", {"max_value": 0.5, "axis": 2}), ("max_minus2", "MaxNorm", {"max_value": 1.5, "axis": -2}),
    ("min_max_axes", "MinMaxNorm", {"min_value": 0.1, "max_value": 0.4, "rate": 0.5, "axis": [0, 1, 2]}), ("min_max", "MinMaxNorm", {}),
    ("radial", "RadialConstraint", {}),
]:
    given.constraint("further_" + name, of, options)


@given.case("fit_class_weight", rows=["L7"], doc="fit with class weights: losses of epochs, weights, and the loss of evaluate, which has none")
def _(rec):
    np, tf, keras, _ = given.tools()
    rng = np.random.default_rng(3)
    x, y = rng.standard_normal((6, 4)).astype("float32"), np.array([0, 1, 2, 1, 1, 0])
    dense = keras.layers.Dense(3, activation="softmax", name="dense")
    model = keras.Sequential([keras.Input((4,)), dense])
    model.set_weights([rng.standard_normal((4, 3)).astype("float32"), np.zeros(3, "float32")])
    for name, value in [("x", x), ("y", y), ("kernel", dense.kernel), ("bias", dense.bias)]:
        rec.tensor(name, value)
    model.compile(optimizer=keras.optimizers.SGD(0.5), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(x, y, batch_size=3, epochs=3, shuffle=False, verbose=0, class_weight={0: 1.0, 1: 2.5, 2: 0.25})
    for name in ("loss", "accuracy"):
        rec.tensor("fit/" + name, np.array(history.history[name], "float32"))
    rec.tensor("trained/kernel", dense.kernel)
    rec.tensor("trained/bias", dense.bias)
    rec.tensor("evaluate", np.array(model.evaluate(x, y, batch_size=3, verbose=0), "float32"))


# Names of losses and metrics of both versions, as classes and as functions.
NAMES = """
AUC Accuracy BCE BinaryAccuracy BinaryCrossentropy BinaryFocalCrossentropy BinaryIoU CTC CategoricalAccuracy CategoricalCrossentropy
CategoricalFocalCrossentropy CategoricalHinge Circle ConcordanceCorrelation CosineSimilarity Dice F1Score
FBetaScore FalseNegatives FalsePositives Hinge Huber IoU KLD KLDivergence LogCosh LogCoshError MAE MAPE MSE MSLE Mean MeanAbsoluteError
MeanAbsolutePercentageError MeanIoU MeanRelativeError MeanSquaredError MeanSquaredLogarithmicError MeanTensor OneHotIoU OneHotMeanIoU
PearsonCorrelation Poisson Precision PrecisionAtRecall R2Score Recall RecallAtPrecision RootMeanSquaredError SensitivityAtSpecificity
SparseCategoricalAccuracy SparseCategoricalCrossentropy SparseTopKCategoricalAccuracy SpecificityAtSensitivity SquaredHinge Sum
TopKCategoricalAccuracy TrueNegatives TruePositives Tversky accuracy auc bce binary_accuracy binary_crossentropy binary_focal_crossentropy
binary_io_u categorical_accuracy categorical_crossentropy categorical_focal_crossentropy categorical_hinge
circle concordance_correlation cosine_proximity cosine_similarity ctc dice f1_score false_negatives false_positives fbeta_score hinge huber huber_loss
io_u kl_divergence kld kullback_leibler_divergence log_cosh logcosh mae mape mean mean_absolute_error mean_absolute_percentage_error mean_io_u
mean_relative_error mean_squared_error mean_squared_logarithmic_error mean_tensor mse msle one_hot_io_u one_hot_mean_io_u pearson_correlation poisson
precision precision_at_recall r2_score recall recall_at_precision root_mean_squared_error sensitivity_at_specificity sparse_categorical_accuracy
sparse_categorical_crossentropy sparse_top_k_categorical_accuracy specificity_at_sensitivity squared_hinge sum top_k_categorical_accuracy
true_negatives true_positives tversky
"""


@given.case("identifiers", rows=["L7"], doc="which names keras.losses.get and keras.metrics.get know; a class that needs arguments is known")
def _(rec):
    _, _, keras, _ = given.tools()
    for kind in ("losses", "metrics"):
        for name in NAMES.split():
            try:
                known = not isinstance(getattr(keras, kind).get(name), str)  # Keras 2 hands a name back that it doesn't know
            except (TypeError, ValueError) as error:
                known = "required positional argument" in str(error)
            rec.value(kind + "/" + name, known)
