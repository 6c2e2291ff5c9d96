"""The models that against_frameworks.py times, as Keras builds them, and the rows that they train on."""

# Name, batch, shape of a row, number of words (0: rows are numbers).
CASES = [
    ("fashion_cnn", 64, (28, 28, 1), 0),
    ("fashion_cnn", 256, (28, 28, 1), 0),
    ("small_resnet", 64, (32, 32, 3), 0),
    ("lstm", 64, (100, 64), 0),
    ("gru", 64, (100, 64), 0),
    ("transformer", 16, (128,), 1000),
]
CLASSES = 10
WIDTH, HEADS, HIDDEN, LAYERS, WORDS, TOKENS = 128, 4, 512, 2, 1000, 128


def fashion_cnn(keras):
    layers = keras.layers
    return keras.Sequential([
        keras.Input((28, 28, 1)), layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Conv2D(64, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(),
        layers.Dense(64, activation="relu"), layers.Dense(CLASSES)])


def small_resnet(keras):
    """Section 4.2 of He et al., Deep residual learning for image recognition (2015), with projections."""
    layers = keras.layers

    def normalized(x, filters, size, stride=1):
        x = layers.Conv2D(filters, size, strides=stride, padding="same", use_bias=False)(x)
        return layers.BatchNormalization(momentum=0.9, epsilon=1e-5)(x)

    image = keras.Input((32, 32, 3))
    x = layers.ReLU()(normalized(image, 16, 3))
    for stage in range(3):
        for block in range(3):
            narrows = stage > 0 and block == 0
            filters, stride = 16 << stage, 2 if narrows else 1
            shortcut = normalized(x, filters, 1, stride) if narrows else x
            y = layers.ReLU()(normalized(x, filters, 3, stride))
            x = layers.ReLU()(layers.Add()([shortcut, normalized(y, filters, 3)]))
    return keras.Model(image, layers.Dense(CLASSES)(layers.GlobalAveragePooling2D()(x)))


def lstm(keras):
    return keras.Sequential([keras.Input((100, 64)), keras.layers.LSTM(128), keras.layers.Dense(CLASSES)])


def gru(keras):
    return keras.Sequential([keras.Input((100, 64)), keras.layers.GRU(128), keras.layers.Dense(CLASSES)])


def transformer(keras):
    """An encoder with normalization after each sum, as in Vaswani et al., Attention is all you need (2017)."""
    layers = keras.layers
    words = keras.Input((TOKENS,), dtype="int32")
    x = layers.Embedding(WORDS, WIDTH)(words)
    for _ in range(LAYERS):
        attended = layers.MultiHeadAttention(HEADS, WIDTH // HEADS)(x, x)
        x = layers.LayerNormalization(epsilon=1e-5)(layers.Add()([x, attended]))
        hidden = layers.Dense(WIDTH)(layers.Dense(HIDDEN, activation="relu")(x))
        x = layers.LayerNormalization(epsilon=1e-5)(layers.Add()([x, hidden]))
    return keras.Model(words, layers.Dense(CLASSES)(layers.GlobalAveragePooling1D()(x)))


BUILDERS = {builder.__name__: builder for builder in (fashion_cnn, small_resnet, lstm, gru, transformer)}
