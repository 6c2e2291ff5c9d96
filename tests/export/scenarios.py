"""Scenarios whose exported programs are compared with `windtunnel run`: a function for each, which returns the file's content.

Each strategy that TensorFlow runs on CPUs is among them, with a loop of one's own and with fit; uneven batches, several
optimizers, batch normalization, recurrent layers, models with several inputs and outputs, regularizers, class weights,
callbacks, checkpoints and evaluations. Nothing is drawn while they train, such as dropout, since TensorFlow draws other numbers.
"""

ALL = {}


def scenario(versions=('keras2', 'keras3')):
    """Registers a scenario, and the semantics that it is trained with."""
    def register(make):
        ALL[make.__name__] = dict(make(), name=make.__name__), versions
        return make
    return register


def dense(*units, classes=4, inputs=6, **last):
    layers = [{'class_name': 'Dense', 'config': {'units': n, 'activation': 'tanh'}} for n in units]
    layers.append({'class_name': 'Dense', 'config': {'units': classes, 'activation': 'softmax', **last}})
    layers[0]['config']['batch_input_shape'] = [None, inputs]
    return {'name': 'net', 'layers': layers}


def training(loop='custom', optimizer='adam', loss='sparse_categorical_crossentropy', **more):
    # An exported program builds its optimizer before its own loop, without which Keras 3 ends it.
    built = {'build_optimizer': True} if loop == 'custom' else {}
    return {'loop': loop, 'loss': loss, 'optimizer': optimizer, 'metrics': ['accuracy'], 'epochs': 3, **built, **more}


def sgd(rate=0.1, **more):
    return {'class_name': 'SGD', 'config': {'learning_rate': rate, **more}}


def synthetic(rows, **more):
    return {'type': 'synthetic', 'rows': rows + more.get('skip', 0), 'noise': 0.5, **more}


def virtual(devices, workers=None):
    return {'virtual': {'devices': devices, **({'workers': workers} if workers else {})}}


# ---- One replica


@scenario()
def default_custom():
    return {'model': dense(16), 'dataset': synthetic(100, shuffle={}),
            'training': training(optimizer=sgd(), global_batch=32)}


@scenario()
def default_fit_small_buffer():
    return {'model': dense(16), 'dataset': synthetic(100, shuffle={'buffer': 17, 'seed': 5}),
            'training': training('fit', global_batch=32, evaluation={'dataset': synthetic(40, skip=100), 'every': 1})}


@scenario()
def one_device_convolution():
    return {'platform': virtual(2), 'strategy': {'type': 'one_device', 'device': '/GPU:1'}, 'model': 'fashion_cnn',
            'dataset': synthetic(96, shuffle={}), 'training': training('fit', global_batch=32)}


@scenario()
def default_recurrent():
    layers = [{'class_name': 'Embedding', 'config': {'input_dim': 20, 'output_dim': 8, 'name': 'words'}},
              {'class_name': 'LSTM', 'config': {'units': 8, 'return_sequences': True, 'name': 'first'}},
              {'class_name': 'GRU', 'config': {'units': 6, 'name': 'second'}},
              {'class_name': 'Dense', 'config': {'units': 3, 'activation': 'softmax', 'name': 'out'}}]
    layers.insert(0, {'class_name': 'InputLayer',
                      'config': {'batch_input_shape': [None, 7], 'dtype': 'int32', 'name': 'ids'}})
    return {'model': {'keras_json': {'class_name': 'Sequential', 'config': {'name': 'texts', 'layers': layers}}},
            'dataset': synthetic(48), 'training': training(optimizer=sgd(0.5), global_batch=16)}


@scenario()
def default_steps_go_on():
    """An epoch of 3 steps in a dataset of 4 batches that is repeated: epochs begin in the middle."""
    return {'model': dense(8), 'dataset': synthetic(64, repeat=-1, shuffle={}),
            'training': training(global_batch=16, steps_per_epoch=3)}


# ---- Several replicas


@scenario()
def mirrored_2_uneven():
    return {'platform': virtual(2), 'strategy': 'mirrored', 'model': dense(16), 'dataset': synthetic(101, shuffle={}),
            'training': training(per_replica_batch=16, loss_scale='global_rows',
                                 evaluation={'dataset': synthetic(50, skip=101), 'every': 2})}


@scenario()
def mirrored_3_batch_normalization():
    layers = [{'class_name': 'InputLayer', 'config': {'batch_input_shape': [None, 6]}},
              {'class_name': 'Dense', 'config': {'units': 12, 'use_bias': False}},
              {'class_name': 'BatchNormalization', 'config': {'momentum': 0.9}},
              {'class_name': 'ReLU', 'config': {}},
              {'class_name': 'Dense', 'config': {'units': 4, 'activation': 'softmax'}}]
    return {'platform': virtual(3), 'strategy': 'mirrored', 'model': {'name': 'normed', 'layers': layers},
            'dataset': synthetic(144, shuffle={}),
            'training': training('fit', sgd(0.1, momentum=0.9, nesterov=True), global_batch=48,
                                 evaluation={'dataset': synthetic(48, skip=144), 'every': 1})}


@scenario()
def mirrored_4_hierarchical():
    return {'platform': virtual(4), 'strategy': {'type': 'mirrored', 'cross_device_ops': 'hierarchical_copy'},
            'model': 'mlp', 'dataset': synthetic(64),
            'training': training(optimizer={'class_name': 'RMSprop', 'config': {'learning_rate': 0.01}},
                                 global_batch=32, loss_scale='global_batch', checkpointing={'every': 2, 'keep': 1},
                                 evaluation={'dataset': synthetic(24, skip=64), 'from_checkpoint': True})}


@scenario()
def mirrored_2_regularizers_and_weights():
    return {'platform': virtual(2), 'strategy': {'type': 'mirrored', 'cross_device_ops': 'reduction_to_one_device'},
            'model': dense(8, 8, kernel_regularizer={'class_name': 'L2', 'config': {'l2': 0.01}},
                           bias_initializer={'class_name': 'Constant', 'config': {'value': 0.1}}),
            'dataset': synthetic(96),
            'training': training('fit', {'class_name': 'AdamW', 'config': {'learning_rate': 0.01, 'clipnorm': 1.0}},
                                 global_batch=32, class_weight={'0': 2, '1': 0.5, '2': 1, '3': 1})}


@scenario()
def mirrored_2_two_outputs():
    def layer(name, class_name, inputs, **config):
        return {'class_name': class_name, 'name': name, 'config': {'name': name, **config},
                'inbound_nodes': [[[source, 0, 0, {}] for source in inputs]] if inputs else []}
    layers = [layer('house', 'InputLayer', [], batch_input_shape=[None, 3]),
              layer('place', 'InputLayer', [], batch_input_shape=[None, 2]),
              layer('near', 'Dense', ['place'], units=8, activation='tanh'),
              layer('both', 'Concatenate', ['house', 'near']),
              layer('hidden', 'Dense', ['both'], units=16, activation='relu'),
              layer('price', 'Dense', ['hidden'], units=1),
              layer('kind', 'Dense', ['hidden'], units=3, activation='softmax')]
    model = {'class_name': 'Functional', 'config': {
        'name': 'houses', 'layers': layers, 'input_layers': [['house', 0, 0], ['place', 0, 0]],
        'output_layers': [['price', 0, 0], ['kind', 0, 0]]}}
    return {'platform': virtual(2), 'strategy': 'mirrored', 'model': {'keras_json': model},
            'dataset': synthetic(64, shuffle={}),
            'training': {'loop': 'fit', 'loss': {'price': 'mse', 'kind': 'sparse_categorical_crossentropy'},
                         'loss_weights': {'price': 1, 'kind': 0.5}, 'optimizer': 'adam', 'global_batch': 16, 'epochs': 3,
                         'metrics': {'price': ['mae'], 'kind': ['accuracy']}}}


@scenario()
def mirrored_2_callbacks():
    return {'platform': virtual(2), 'strategy': 'mirrored', 'model': dense(16), 'dataset': synthetic(128, shuffle={}),
            'training': training('fit', {'class_name': 'Adam', 'config': {'learning_rate': 0.05}}, global_batch=32,
                                 epochs=12, evaluation={'dataset': synthetic(64, skip=128), 'every': 1},
                                 callbacks=[{'type': 'ReduceLROnPlateau', 'factor': 0.2, 'patience': 1},
                                            {'type': 'EarlyStopping', 'patience': 3, 'restore_best_weights': True}])}


@scenario()
def central_storage_2():
    return {'platform': virtual(2), 'strategy': 'central_storage', 'model': dense(16), 'dataset': synthetic(90),
            'training': dict(training(optimizer=sgd(0.2), global_batch=32, loss_scale='global_rows'), metrics=[])}


@scenario(versions=('keras2',))
def central_storage_2_fit():
    return {'platform': virtual(2), 'strategy': 'central_storage', 'model': dense(16), 'dataset': synthetic(96),
            'training': training('fit', global_batch=32)}


@scenario()
def tpu_stand_in():
    return {'platform': 'tpu_v3', 'strategy': 'tpu', 'model': dense(16),
            'dataset': synthetic(70, drop_remainder=True), 'training': training(per_replica_batch=4)}


# ---- Several processes


@scenario()
def two_workers_custom():
    return {'platform': virtual(2, 2), 'strategy': {'type': 'multi_worker_mirrored', 'communication': 'ring'},
            'model': dense(16), 'dataset': synthetic(96, autoshard='data'),
            'training': training(global_batch=32, loss_scale='global_rows')}


@scenario(versions=('keras2',))  # with several workers Keras 3's fit ends in ValueError
def three_workers_fit():
    return {'platform': virtual(3, 3), 'cluster': {'chief': 1, 'worker': 2}, 'strategy': 'multi_worker_mirrored',
            'model': dense(16), 'dataset': synthetic(96, autoshard='off'),
            'training': training('fit', sgd(0.2), global_batch=24)}


SERVERS = {'machines': [{'file': 'dgx1_p100', 'count': 1}, {'file': 'cpu_server', 'count': 3}],
           'network': {'type': 'switch', 'bandwidth': '12.5 GB/s', 'latency': '1 us'}}


@scenario(versions=('keras2',))
def parameter_server_custom():
    return {'platform': SERVERS, 'cluster': {'worker': 1, 'ps': 2, 'chief': 1}, 'devices': {'visible': ['GPU:0']},
            'strategy': {'type': 'parameter_server', 'variable_partitioner': {'fixed_shards': 2}},
            'model': dense(16), 'dataset': synthetic(96), 'training': training(global_batch=32, join_every=1)}


@scenario(versions=('keras2',))
def parameter_server_fit():
    return {'platform': SERVERS, 'cluster': {'worker': 1, 'ps': 2, 'chief': 1}, 'devices': {'visible': ['GPU:0']},
            'strategy': 'parameter_server', 'model': dense(16), 'dataset': synthetic(96, repeat=-1),
            'training': training('fit', sgd(0.1), global_batch=32, steps_per_epoch=3)}
