#!/usr/bin/env python3
"""Further recordings of whole trainings under a strategy, made by the harness of the given recordings (`record/harness.py`
beside them):

    PYTHONPATH=RECORD:RECORD/helpers PYTHON RECORD/harness.py tests/recordings/further_training.py OUT/keras3/training

RECORD is the folder `record`, and PYTHON one with tensorflow==2.15.1 (keras2) or tensorflow==2.21.0 (keras3).
`pack.py OUT training --name further_training` packs them.

What Keras 3 does under tf.distribute that Keras 2 doesn't is asked of more strategies and numbers of replicas: first batches
that don't divide evenly, several steps per execution, optimizers that were not built, central storage.
"""

import re

import training as cases
from harness import case

ADAM = ("Adam", {"learning_rate": 0.02})
MOMENTUM = ("SGD", {"learning_rate": 0.1, "momentum": 0.9})
DECAY = ("SGD", {"learning_rate": {"initial_learning_rate": 0.2, "decay_steps": 3, "decay_rate": 0.5}})


def sentence(text):
    """What TensorFlow itself says, without nodes and stack, as the given recordings have it."""
    found = re.search(r"INVALID_ARGUMENT:\s+(.*)", text)
    if found:
        return found.group(1).strip()
    if "Exception encountered" in text:
        return text[text.index("Exception encountered") :].split("\n\nArguments received")[0]
    text = re.sub(r"\{\{[^}]*\}\}\s*", "", text)
    return re.sub(r"\s*\[Op:\w+\].*", "", text, flags=re.S).strip()


def recorded(program, config=None):
    def run(rec, **arguments):
        if config:
            plain = rec.value
            rec.value = lambda name, value: plain(name, {**value, **config} if name == "config" else value)
        cases.attempt(rec, lambda: program(rec, **arguments))
        error = rec.errors.get("program")
        if error and error["type"]:
            error.update(sentence=sentence(error["text"]), python=False)

    return run


def add(family, program, name, config=None, **arguments):
    def run(rec):
        if config == {"built": False}:
            cases.keras3 = lambda: False  # by which the program decides whether to build its optimizer
        recorded(program, config)(rec, **arguments)

    run.__wrapped__ = program
    case(f"training_{family}_further_{name}", devices=cases.cpus(arguments["strat"]))(run)


def fit(name, **arguments):
    add("fit", cases.fit, name, **arguments)


def loop(name, **arguments):
    add("loop", cases.loop, name, **arguments)


# ---- First batches that don't divide evenly
for strategy, batch in [("mirrored1", 7), ("mirrored2", 7), ("mirrored4", 6), ("central2", 7), ("central3", 8), ("one", 7), ("mirrored3", 2)]:
    fit(f"uneven_{strategy}", strat=strategy, rows=20, batch=batch)
fit("uneven_first_and_last_mirrored2", strat="mirrored2", rows=7, batch=7)
fit("uneven_dataset_mirrored3", strat="mirrored3", rows=20, batch=8, form="dataset")
fit("uneven_two_outputs_mirrored3", strat="mirrored3", model="two", loss="two", rows=20, batch=8)
fit("uneven_weights_mirrored3", strat="mirrored3", rows=20, batch=8, weights=True)
fit("uneven_embed_mirrored3", strat="mirrored3", model="embed", dat="words", rows=20, batch=8)
fit("uneven_validation_mirrored4", strat="mirrored4", rows=16, batch=8, epochs=3, callbacks=["stop"])

# ---- Several steps per execution
for strategy in ("default", "one", "mirrored1", "mirrored2", "central2"):
    fit(f"executions_{strategy}", strat=strategy, rows=24, batch=6, compile={"steps_per_execution": 3}, form="dataset_repeat", steps=5)
fit("executions_end_default", strat="default", rows=26, batch=6, compile={"steps_per_execution": 2}, form="dataset")
fit("executions_uneven_mirrored3", strat="mirrored3", rows=24, batch=7, compile={"steps_per_execution": 3}, form="dataset_repeat", steps=5)

# ---- Central storage
for strategy in ("central1", "central2", "central3"):
    fit(f"arrays_{strategy}", strat=strategy, rows=30, batch=6)
fit("adam_central3", strat="central3", rows=29, batch=9, epochs=3, opt=ADAM)
fit("binary_central2", strat="central2", model="sigmoid", dat="binary", loss="binary_crossentropy", rows=30, batch=6, compile={"metrics": ["mae", "mse"]})
fit("bn_central1", strat="central1", model="bn", rows=30, batch=6)
fit("bn_central2", strat="central2", model="bn", rows=30, batch=6)
fit("two_outputs_central2", strat="central2", model="two", loss="two", rows=30, batch=6)
fit("plateau_central2", strat="central2", rows=24, batch=6, epochs=4, callbacks=["plateau"])
loop("bn_central2", strat="central2", model="bn")
loop("rmsprop_central3", strat="central3", opt=("RMSprop", {"learning_rate": 0.02}))
loop("scaling_actual_central2", strat="central2", scaling="actual", batch=10)

# ---- Optimizers that were not built
for strategy in ("default", "one", "mirrored1", "mirrored2", "mirrored3", "central2"):
    loop(f"unbuilt_{strategy}_adam", strat=strategy, opt=ADAM, config={"built": False})
loop("unbuilt_mirrored2_sgd", strat="mirrored2", config={"built": False})
loop("unbuilt_mirrored2_momentum", strat="mirrored2", opt=MOMENTUM, config={"built": False})
loop("unbuilt_mirrored2_adam_eager", strat="mirrored2", opt=ADAM, eager=True, config={"built": False})

# ---- Other options of fit
fit("decay_mirrored3", strat="mirrored3", rows=27, batch=9, opt=DECAY)
fit("decay_default", strat="default", opt=DECAY)
fit("scheduler_mirrored3", strat="mirrored3", rows=27, batch=9, epochs=4, callbacks=["scheduler"])
fit("plateau_mirrored2", strat="mirrored2", epochs=4, callbacks=["plateau"])
fit("stop_mirrored3", strat="mirrored3", rows=27, batch=9, epochs=4, callbacks=["stop"])
fit("weights_mirrored3", strat="mirrored3", rows=27, batch=9, weights=True, compile={"weighted_metrics": ["accuracy"], "metrics": None})
fit("both_metrics_mirrored2", strat="mirrored2", weights=True, compile={"weighted_metrics": ["accuracy"]})
fit("class_weight_mirrored2", strat="mirrored2", class_weight={"0": 2.0, "1": 0.5, "2": 1.0})
fit("sum_mirrored2", strat="mirrored2", loss="scce_sum", opt=("SGD", {"learning_rate": 0.01}))
fit("huber_mirrored2", strat="mirrored2", model="numbers", dat="numbers", loss="huber")
fit("probabilities_mirrored2", strat="mirrored2", model="softmax", dat="probabilities", loss="cce_probs")
fit("sparse_probabilities_mirrored2", strat="mirrored2", model="softmax", loss="scce_probs")
fit("outside_adam_mirrored2", strat="mirrored2", opt=ADAM, outside=True)
fit("outside_one", strat="one", outside=True)
fit("drop_mirrored4", strat="mirrored4", form="dataset_drop")
fit("repeat_mirrored2", strat="mirrored2", form="dataset_repeat", steps=5)
fit("eager_mirrored3", strat="mirrored3", rows=27, batch=9, compile={"run_eagerly": True})
fit("syncbn_mirrored4", strat="mirrored4", model="syncbn", rows=30, batch=8)
fit("convbn_mirrored2", strat="mirrored2", model="convbn", dat="images")
fit("clipvalue_mirrored2", strat="mirrored2", opt=("SGD", {"learning_rate": 0.5, "clipvalue": 0.05}))
fit("global_clipnorm_mirrored2", strat="mirrored2", opt=("SGD", {"learning_rate": 0.5, "global_clipnorm": 0.1}))
fit("hierarchical_mirrored3", strat="mirrored3", rows=27, batch=9, ops="hierarchical")
fit("nccl_mirrored2", strat="mirrored2", ops="nccl")

# ---- Other loops
loop("conv_mirrored3", strat="mirrored3", model="conv", dat="images")
loop("embed_mirrored4", strat="mirrored4", model="embed", dat="words", opt=ADAM)
loop("from_function_mirrored3", strat="mirrored3", from_function=True)
loop("from_function_central2", strat="central2", from_function=True)
loop("mse_one", strat="one", model="numbers", dat="numbers", loss="mse", opt=MOMENTUM)
loop("l2_mirrored3", strat="mirrored3", model="l2")
loop("activity_mirrored2", strat="mirrored2", model="activity")
loop("binary_mirrored3", strat="mirrored3", model="binary", dat="binary", loss="bce")
loop("scce_probs_mirrored2", strat="mirrored2", model="softmax", loss="scce_probs")
loop("syncbn_mirrored4", strat="mirrored4", model="syncbn", batch=8)
loop("bn_mirrored4", strat="mirrored4", model="bn")
loop("convbn_mirrored3_eager", strat="mirrored3", model="convbn", dat="images", eager=True)
loop("decay_mirrored2", strat="mirrored2", opt=DECAY)
loop("scaling_mean_mirrored4", strat="mirrored4", scaling="mean", rows=32, batch=10)
loop("scaling_sum_mirrored3", strat="mirrored3", scaling="sum")
loop("mirrored5_hierarchical", strat="mirrored5", ops="hierarchical", batch=10)
loop("mirrored3_hierarchical2", strat="mirrored3", ops="hierarchical2")
loop("mirrored4_nccl", strat="mirrored4", ops="nccl")
