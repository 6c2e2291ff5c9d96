"""Further programs with parameter servers, which the tests of tests/train compare with. Recorded as further_layers.py of
tests/recordings says, with the helpers of the recordings of kind `servers`. What is kept of a recording:

    tests/train/servers/further.py OUT keras2    # OUT has the recordings; they are written beside this file

A case.json here has no log, and of an error its type and TensorFlow's own sentence.
"""
import json, os, re, shutil, sys, tempfile
import numpy as np
from harness import case
from helpers.servers import (add, cancelled, caching, coordinator, datasets, describe, fit, maybe, parts, partitioner, placement,
                             raising, refusals, restore, strategy, table, train, whole)

FIX = lambda n: ['FixedShardsPartitioner', {'num_shards': n}]
MIN = lambda b, m: ['MinSizePartitioner', {'min_shard_bytes': b, 'max_shards': m}]
MAX = lambda b, m=None: ['MaxSizePartitioner', {'max_shard_bytes': b, 'max_shards': m}]
G8 = ('ST24', 'G8')

for name, (w, p, spec) in {'2_2_none': (2, 2, None), '1_2_fix2': (1, 2, FIX(2)), '3_2_min3': (3, 2, MIN(64, 3)), '1_4_max': (1, 4, MAX(100))}.items():
    add('placement_' + name, lambda rec, w=w, p=p, spec=spec: placement(rec, w, p, spec), rows=('ST20', 'ST24', 'G8', 'G12'))
for opt, spec, ps, name in [('SGD', FIX(2), 2, 'sgd_1'), ('Adam', None, 1, 'adam_0'), ('Adam', FIX(3), 2, 'adam_1'), ('Adagrad', FIX(2), 2, 'adagrad_1'),
                            ('RMSprop', None, 2, 'rmsprop_0'), ('SGD', MIN(32, 3), 3, 'sgd_3'), ('Ftrl', None, 1, 'ftrl_0')]:
    add('train_' + name, lambda rec, opt=opt, spec=spec, ps=ps: train(rec, opt, spec, ps), rows=('ST20', 'ST21', 'G8', 'G19', 'P27'))
for name, spec, data in [('1', FIX(2), 'creator'), ('3', FIX(2), 'dataset')]:
    add('fit_' + name, lambda rec, spec=spec, data=data: fit(rec, spec, data), rows=('ST20', 'P19'))
for workers, kind in [(1, 'range'), (2, 'range'), (2, 'nan'), (2, 'python'), (2, 'end')]:
    add('raising_%s_%d' % (kind, workers), lambda rec, workers=workers, kind=kind: raising(rec, workers, kind))
for workers, form in [(1, 'dataset'), (2, 'dataset'), (2, 'distributed'), (2, 'distributed_function')]:
    add('datasets_%s_%d' % (form, workers), lambda rec, workers=workers, form=form: datasets(rec, workers, form))
add('restore', restore, rows=G8)
add('table', table)
add('cancelled', cancelled)
add('refusals', refusals, rows=('C2', 'ST20', 'C1'))

def endings(rec, workers):
    import tensorflow as tf
    K = tf.keras; rng = np.random.default_rng(6); x = rng.normal(size=(24, 4)).astype('float32'); y = rng.normal(size=(24, 2)).astype('float32')
    rec.value('config', dict(workers=workers)); s = strategy(workers, 1); rec.tensor('x', x); rec.tensor('y', y)
    with s.scope(): m = K.Sequential([K.Input((4,)), K.layers.Dense(2, name='b')]); m.compile(K.optimizers.SGD(0.), 'mse')
    r = np.random.default_rng(3)
    for v in m.weights: v.assign(r.normal(size=tuple(v.shape)).astype('float32'))
    rec.text('model.json', m.to_json()); rec.weights('initial', m)
    def make(n=None): d = tf.data.Dataset.from_tensor_slices((x, y)).batch(6); return d if n == 1 else d.repeat(n)
    fits = dict(finite_no_steps=(1, {}), finite_exact=(1, dict(steps_per_epoch=4)), finite_exact_2_epochs=(1, dict(steps_per_epoch=4, epochs=2)), finite_fewer=(1, dict(steps_per_epoch=3)),
                finite_fewer_2_epochs=(1, dict(steps_per_epoch=3, epochs=2)), finite_more=(1, dict(steps_per_epoch=5)), twice_2_epochs=(2, dict(steps_per_epoch=4, epochs=2)))
    for name, (n, options) in fits.items(): rec.error('fit_' + name, lambda n=n, o=options: [len(m.fit(make(n), verbose=0, **o).history['loss'])])
    for name, n, o in [('finite', 1, {}), ('finite_steps', 1, dict(steps=4)), ('finite_more', 1, dict(steps=5)), ('endless', None, {}), ('endless_steps', None, dict(steps=2))]:
        rec.error('evaluate_' + name, lambda n=n, o=o: float(m.evaluate(make(n), verbose=0, **o)))
        rec.error('predict_' + name, lambda n=n, o=o: list(m.predict(make(n).map(lambda a, b: a), verbose=0, **o).shape))
    creator = getattr(K.utils, 'experimental', None) and getattr(K.utils.experimental, 'DatasetCreator', None)
    if creator:
        rec.error('creator_finite', lambda: len(m.fit(creator(lambda c: make(1)), verbose=0, steps_per_epoch=4).history['loss']))
        rec.error('creator_more', lambda: len(m.fit(creator(lambda c: make(1)), verbose=0, steps_per_epoch=5).history['loss']))
        rec.error('creator_evaluate', lambda: float(m.evaluate(creator(lambda c: make(1)), verbose=0, steps=4)))
        rec.error('creator_evaluate_no_steps', lambda: float(m.evaluate(creator(lambda c: make(1)), verbose=0)))
        rec.error('creator_predict', lambda: list(m.predict(creator(lambda c: make(1).map(lambda a, b: a)), verbose=0, steps=4).shape))
    class Each(K.callbacks.Callback):
        def on_test_batch_end(self, b, logs=None): pass
        def on_predict_batch_end(self, b, logs=None): pass
    rec.error('evaluate_callback', lambda: m.evaluate(make(), verbose=0, steps=2, callbacks=[Each()]))
    rec.error('predict_callback', lambda: m.predict(make().map(lambda a, b: a), verbose=0, steps=2, callbacks=[Each()]).shape)
    rec.error('train_on_batch', lambda: float(m.train_on_batch(x[:6], y[:6])))
for w in (1, 2): add('fit_endings_%d' % w, lambda rec, w=w: endings(rec, w), rows=('ST20', 'P19'))

def restored(rec, spec, shape):
    import tensorflow as tf
    a = np.random.default_rng(5).normal(size=tuple(shape)).astype('float32'); rec.value('config', dict(partitioner=spec, shape=shape)); rec.tensor('saved', a)
    tmp = tempfile.mkdtemp(); s = strategy(1, 2, partitioner(spec)); plain = tf.Variable(a); tf.train.Checkpoint(v=plain).write(os.path.join(tmp, 'plain'))
    with s.scope(): v = tf.Variable(lambda: tf.zeros(shape), shape=shape, dtype=tf.float32, name='v'); w = tf.Variable(lambda: tf.ones(shape), shape=shape, dtype=tf.float32, name='w')
    tf.train.Checkpoint(v=v).restore(os.path.join(tmp, 'plain')); rec.tensor('restored', whole(v)); rec.value('variable', describe(v))
    p = tf.train.Checkpoint(v=v, w=w).write(os.path.join(tmp, 'both')); rec.value('checkpoint', [[n, sh] for n, sh in tf.train.list_variables(p)])
    other = tf.Variable(tf.zeros(shape)); tf.train.Checkpoint(w=other).restore(p); rec.tensor('restored_plain', other)
    v.assign(tf.zeros(shape)); tf.train.Checkpoint(v=v).restore(p); rec.tensor('restored_again', whole(v))
    small = tf.Variable(tf.zeros((2, 2)))
    rec.error('other_shape', lambda: tf.train.Checkpoint(v=small).restore(p))
    with s.scope(): cut = tf.Variable(lambda: tf.zeros((4, 3)), shape=(4, 3), dtype=tf.float32, name='cut')
    rec.error('other_shape_sharded', lambda: tf.train.Checkpoint(v=cut).restore(p))
for name, spec in {'fix4': ['FixedShardsPartitioner', {'num_shards': 4}], 'none': None, 'max': ['MaxSizePartitioner', {'max_shard_bytes': 48}]}.items():
    add('checkpoint_' + name, lambda rec, spec=spec: restored(rec, spec, [11, 3]), rows=('ST24', 'G8'))

def caching2(rec, spec):
    import tensorflow as tf
    from tensorflow.python.distribute import distribute_utils
    rec.value('config', dict(partitioner=spec)); s = strategy(1, 2, partitioner(spec)); c = coordinator(s)
    with s.scope(): v = tf.Variable(lambda: tf.reshape(tf.range(6.), (3, 2)), shape=(3, 2), dtype=tf.float32, name='v')
    one = tf.ones((3, 2))
    @tf.function
    def assigned():
        with distribute_utils.cache_variable_reads(): v.assign(one * 5.); a = tf.convert_to_tensor(v); v.assign_sub(one); b = tf.convert_to_tensor(v); d = tf.nn.embedding_lookup(v, [2])
        return a, b, d, tf.convert_to_tensor(v)
    @tf.function
    def twice():
        with distribute_utils.cache_variable_reads(): a = tf.convert_to_tensor(v); v.assign_add(one)
        with distribute_utils.cache_variable_reads(): b = tf.convert_to_tensor(v); v.assign_add(one); d = tf.convert_to_tensor(v)
        return a, b, d, tf.convert_to_tensor(v)
    @tf.function
    def sliced():
        with distribute_utils.cache_variable_reads(): a = v[0:2]; v.assign_add(one); b = v[0:2]
        return a, b, v[0:2]
    for n, f in (('assigned', assigned), ('twice', twice), ('sliced', sliced)):
        def go(n=n, f=f):
            for i, q in enumerate(c.schedule(f).fetch()): rec.tensor('%s/%d' % (n, i), q)
        rec.error(n, go)
    def nested():
        with distribute_utils.cache_variable_reads():
            with distribute_utils.cache_variable_reads(): pass
    rec.error('nested', nested)
for name, spec in {'none': None, 'fix2': ['FixedShardsPartitioner', {'num_shards': 2}]}.items(): add('caching_' + name, lambda rec, spec=spec: caching2(rec, spec))

def structures(rec):
    import tensorflow as tf
    s = strategy(2, 1); c = coordinator(s)
    @tf.function
    def pair(x): return x, {'twice': x * 2, 'list': [x * 3]}
    r = [c.schedule(pair, args=(tf.constant(float(i)),)) for i in range(3)]
    rec.value('one', c.fetch(r[1])); rec.value('list', c.fetch(r)); rec.value('map', c.fetch({'a': r[0], 'b': {'c': [r[2], 7]}})); rec.value('nothing', c.fetch([])); rec.value('plain', c.fetch([1, 'x', {'y': 2.5}]))
    @tf.function
    def bad(): tf.debugging.assert_equal(tf.constant(1), tf.reduce_sum(tf.ones((5,), tf.int32)), message='stop'); return tf.constant(1.)
    b = c.schedule(bad)
    rec.error('fetch_bad', lambda: c.fetch([r[0], b])); rec.error('after', lambda: c.join())
    rec.error('per_worker', lambda: [float(q.fetch()) for q in c._create_per_worker_resources(lambda: tf.constant(1.))._values] if hasattr(c._create_per_worker_resources(lambda: tf.constant(1.)), '_values') else 'none')
add('fetch_structures', structures)

# Variables that single operations use: made in the scope, in a run, in a function that is scheduled.
def scoped(rec, ps, spec, shape):
    import tensorflow as tf
    D = tf.distribute; rec.value('config', dict(ps=ps, partitioner=spec, shape=shape)); s = strategy(1, ps, partitioner(spec)); c = coordinator(s); x = s.extended
    a = np.random.default_rng(4).normal(size=tuple(shape)).astype('float32'); rec.tensor('a', a); n = shape[0]; rows = lambda *i: tf.IndexedSlices(tf.constant(a[:len(i)] + 3), tf.constant(i))
    with s.scope(): v = tf.Variable(tf.constant(a), name='v'); scalar = tf.Variable(1., name='scalar', aggregation=tf.VariableAggregation.SUM); w = tf.Variable(tf.constant(a * 2), name='w')
    rec.value('variables', [describe(q) for q in (v, scalar, w)])
    def numbers(name, f): rec.error(name, lambda: (f(), rec.tensor(name, whole(v)), 'done')[2])
    def read(name, f): rec.error(name, lambda: (rec.tensor(name, np.asarray(f())), 'done')[1])
    read('read', lambda: tf.convert_to_tensor(v) * 2); read('run_read', lambda: s.run(lambda: tf.convert_to_tensor(v) + 1)); read('run_argument', lambda: s.run(lambda q: q * 3, args=(tf.constant(a),)))
    numbers('run_assign_add', lambda: s.run(lambda: (v.assign_add(tf.ones(shape)), 0)[1])); numbers('assign_sub', lambda: v.assign_sub(tf.constant(a)))
    rec.error('run_scalar', lambda: (s.run(lambda: (scalar.assign_add(2.), 0)[1]), float(scalar))[1]); rec.error('scope_scalar', lambda: [scalar.assign_sub(.5), float(scalar)][1])
    for change in ('add', 'sub', 'mul', 'div', 'min', 'max', 'update'): numbers('scatter_' + change, lambda: getattr(v, 'scatter_' + change)(rows(0, n - 1)))
    numbers('run_scatter', lambda: s.run(lambda: (v.scatter_add(rows(n - 1, 0)), 0)[1])); numbers('batch_scatter_update', lambda: v.batch_scatter_update(rows(0, 1)))
    rec.error('scatter_outside', lambda: v.scatter_add(rows(n)))
    read('gather', lambda: tf.gather(tf.convert_to_tensor(v), [n - 1, 0, 0])); read('lookup', lambda: tf.nn.embedding_lookup(v, [n - 1, 0, 0])); read('sparse_read', lambda: v.sparse_read(tf.constant([0, n - 1])))
    def gradient():
        def step():
            with tf.GradientTape() as t: l = tf.reduce_sum(tf.convert_to_tensor(v) ** 2)
            return t.gradient(l, parts(v))
        return np.concatenate([q.numpy() for q in s.run(step)], 0)
    read('gradient', gradient)
    rec.error('reduce_sum', lambda: float(s.reduce('SUM', s.run(lambda: tf.constant(3.)), axis=None))); rec.error('reduce_mean_axis', lambda: float(s.reduce('MEAN', s.run(lambda: tf.constant([3., 4.])), axis=0)))
    rec.error('results', lambda: [float(q) for q in s.experimental_local_results(s.run(lambda: tf.constant(3.)))]); rec.error('from_function', lambda: [float(q) for q in s.experimental_local_results(s.experimental_distribute_values_from_function(lambda k: tf.constant(7.)))])
    rec.error('replica', lambda: s.run(lambda: [int(D.get_replica_context().replica_id_in_sync_group), D.in_cross_replica_context(), int(D.get_replica_context().num_replicas_in_sync)]))
    rec.error('all_reduce', lambda: float(s.run(lambda: D.get_replica_context().all_reduce('SUM', tf.constant(5.))))); rec.error('all_gather', lambda: [float(q) for q in s.run(lambda: D.get_replica_context().all_gather(tf.constant([5., 6.]), 0))])
    rec.error('gathered', lambda: [float(q) for q in s.gather(s.run(lambda: tf.constant([3., 4.])), 0)])
    def merged():
        def merge(strategy, q): return strategy.extended.update(scalar, lambda y, d: y.assign_add(d), args=(strategy.extended.reduce_to('SUM', q, scalar),))
        return D.get_replica_context().merge_call(merge, args=(tf.constant(4.),))
    rec.error('merge_update', lambda: (s.run(lambda: (merged(), 0)[1]), float(scalar))[1])
    rec.error('update_v', lambda: (x.update(v, lambda y: y.assign_add(tf.ones(y.shape))), 'done')[1]); rec.error('in_scope', lambda: [x.variable_created_in_scope(scalar), x.variable_created_in_scope(tf.Variable(1.))])
    rec.error('broadcast_to', lambda: float(x.broadcast_to(tf.constant(2.), '/cpu:0'))); rec.error('non_slot', lambda: str(x.non_slot_devices([scalar]))); rec.error('scalar_device', lambda: scalar.device); rec.error('v_name', lambda: v.name)
    def other():
        with D.OneDeviceStrategy('/cpu:0').scope(): s.run(lambda: 1)
    rec.error('other_scope', other)
    def made(): return tf.Variable(1., name='made')
    rec.error('made_in_run', lambda: describe(s.run(made))); rec.error('reduce_in_scope', lambda: float(s.reduce('SUM', tf.constant(0.), axis=None)))
    @tf.function
    def both(q):
        def step(r): v.assign_sub(r * .5); return tf.reduce_sum(r)
        one = s.run(step, args=(q,)); return s.reduce('SUM', one, axis=None), s.reduce('MEAN', one, axis=None)
    def scheduled(): r = c.schedule(both, args=(tf.constant(a),)); c.join(); return [float(q) for q in r.fetch()]
    rec.error('scheduled', scheduled); rec.tensor('scheduled_v', whole(v))
FIRST = [('none', 1, None, [3, 2]), ('none_2', 2, None, [5, 4]), ('fix2', 2, FIX(2), [5, 2]), ('fix3', 2, FIX(3), [7, 3]), ('min', 4, MIN(16, 4), [9, 2]), ('max', 3, MAX(40), [8, 3]), ('fix8', 3, FIX(8), [4, 2]), ('one', 1, FIX(2), [2, 2])]
for name, ps, spec, shape in FIRST: add('scope_' + name, lambda rec, ps=ps, spec=spec, shape=shape: scoped(rec, ps, spec, shape), rows=('ST20', 'ST24', 'G8'))

# The strategy of TensorFlow 1: what a program without an Estimator can do.
def version_1(rec):
    import tensorflow as tf
    S = tf.compat.v1.distribute.experimental.ParameterServerStrategy; s = S(); x = s.extended; v = tf.Variable(1.)
    rec.error('replicas', lambda: s.num_replicas_in_sync); rec.error('workers', lambda: list(x.worker_devices)); rec.error('parameters', lambda: list(x.parameter_devices)); rec.error('run', lambda: s.run(lambda: 1)); rec.error('reduce', lambda: float(s.reduce('SUM', tf.constant(2.), axis=None)))
    rec.error('local', lambda: [float(q) for q in s.experimental_local_results(tf.constant(2.))]); rec.error('gather', lambda: [float(q) for q in s.gather(tf.constant([2.]), 0)]); rec.error('dataset', lambda: type(s.experimental_distribute_dataset(tf.data.Dataset.range(3))).__name__)
    rec.error('from_function', lambda: type(s.distribute_datasets_from_function(lambda c: tf.data.Dataset.range(3))).__name__); rec.error('values', lambda: float(s.experimental_distribute_values_from_function(lambda c: tf.constant(7.)))); rec.error('update', lambda: float(x.update(v, lambda y: y.assign_add(1.))))
    rec.error('set', lambda: tf.distribute.experimental_set_strategy(s)); rec.error('cross', lambda: tf.distribute.in_cross_replica_context()); rec.error('reduce_to', lambda: float(x.reduce_to('SUM', tf.constant(3.), '/cpu:0'))); rec.error('in_scope', lambda: x.variable_created_in_scope(v)); rec.error('coordinator', lambda: coordinator(s))
add('v1_program', version_1, rows=('ST19',))

# Central storage takes a device twice.
def central(rec, devices, param):
    import tensorflow as tf
    rec.value('config', dict(compute_devices=devices, parameter_device=param)); s = tf.distribute.experimental.CentralStorageStrategy(compute_devices=devices, parameter_device=param); x = s.extended
    rec.error('replicas', lambda: s.num_replicas_in_sync); rec.error('workers', lambda: list(x.worker_devices)); rec.error('parameters', lambda: list(x.parameter_devices)); one = lambda: tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32) + 1.
    rec.error('sum', lambda: float(s.reduce('SUM', s.run(one), axis=None)))
    with s.scope(): v = tf.Variable(1., aggregation=tf.VariableAggregation.SUM)
    rec.error('device', lambda: v.device); rec.error('assigned', lambda: (s.run(lambda: (v.assign_add(one()), 0)[1]), float(v))[1])
    rec.error('all_reduce', lambda: [float(q) for q in s.experimental_local_results(s.run(lambda: tf.distribute.get_replica_context().all_reduce('SUM', one())))]); rec.error('gather', lambda: [float(q) for q in s.gather(s.run(lambda: tf.stack([one()])), 0)])
for name, d, p in [('twice', ['/cpu:1', '/cpu:1'], None), ('three', ['/cpu:1', '/cpu:0', '/cpu:1'], '/cpu:2'), ('beside', ['/cpu:1', '/cpu:1'], '/cpu:1'), ('eight', ['/cpu:2'] * 5 + ['/cpu:3'] * 3, '/cpu:0')]:
    case('servers_central_' + name, rows=['ST5'], devices={'CPU': 4})(lambda rec, d=d, p=p: central(rec, d, p))

def sentence(text):
    lines = [l for l in text.splitlines() if l.strip()]
    if lines and lines[0].startswith('in user code'): return re.sub(r'^\s*\w+Error: ', '', [l for l in lines if re.match(r'\s*\w+Error: ', l)][-1]).strip()
    own = [l for l in lines if not re.match(r'\s*(File "|Detected at|\[\[|Additional GRPC|:\{|:UNK|Graph execution)', l)]
    said = re.sub(r'\{\{function_node [^}]*\}\} ?', '', own[0] if own else text)
    return re.sub(r' ?\[Op:[^\]]*\]( name:.*)?$', '', said).strip()
def keep(source, target):
    d = json.load(open(source + '/case.json')); errors = {}
    for k, e in d['errors'].items(): errors[k] = {'type': e['type'], 'sentence': e['type'] and sentence(e['text']), 'returned': e.get('returned')}
    kept = {k: d[k] for k in ('id', 'rows', 'doc', 'made_with', 'values')} | {'errors': errors}
    if 'model.json' in d['texts']: kept['model'] = json.loads(d['texts']['model.json'])
    os.makedirs(target, exist_ok=True); json.dump(kept, open(target + '/case.json', 'w'), separators=(',', ':'), ensure_ascii=False)
    if os.path.exists(source + '/data.safetensors'): shutil.copy(source + '/data.safetensors', target)
if __name__ == '__main__':
    for name in sorted(os.listdir(sys.argv[1])):
        if os.path.isdir(os.path.join(sys.argv[1], name)): keep(os.path.join(sys.argv[1], name), os.path.join(os.path.dirname(os.path.abspath(__file__)), sys.argv[2], name))
