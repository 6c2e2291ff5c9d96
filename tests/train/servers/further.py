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
