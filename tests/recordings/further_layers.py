#!/usr/bin/env python3
"""Further recordings of layers, made by the harness of the given recordings (`record/harness.py` beside them):

    PYTHONPATH=RECORD:RECORD/helpers PYTHON RECORD/harness.py tests/recordings/further_layers.py OUT/keras3/layers

RECORD is the folder `record`, and PYTHON one with tensorflow==2.15.1 (keras2) or tensorflow==2.21.0 (keras3).
`pack.py OUT layers --name further_layers` packs them.
"""

import importlib.metadata
import importlib.util
import os

FOLDER = next(p for p in os.environ["PYTHONPATH"].split(":") if p.endswith("helpers"))
SPEC = importlib.util.spec_from_file_location("layer_cases", os.path.join(FOLDER, "layers.py"))
CASES = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(CASES)
CASES.KERAS = int(importlib.metadata.version("keras").split(".")[0])

made = []


def add(name, inputs, body, only=None, **options):
    if only in (None, CASES.KERAS):
        CASES.register(1001 + 4 * len(made), "further_" + name, [list(i) for i in inputs], body, options)
    made.append(name)


def F(*shape):
    return (shape, "f")



add("dense_elu",[F(5)],"L.Dense(4, activation='elu')(x)")
add("emb_mask_gap",[((5,),'z6')],"L.GlobalAveragePooling1D()(L.Embedding(6, 4, mask_zero=True)(x))")
add("emb_mask_gru",[((5,),'h6')],"L.GRU(4)(L.Embedding(6, 4, mask_zero=True)(x))")
add("conv1d",[F(7,2)],"L.Conv1D(3, 3, strides=2, activation='relu')(x)")
add("conv2d_groups",[F(6,6,4)],"L.Conv2D(4, 3, groups=2)(x)")
add("conv1d_transpose_same",[F(5,2)],"L.Conv1DTranspose(3, 4, strides=3, padding='same')(x)")
add("conv1d_transpose_op",[F(5,2)],"L.Conv1DTranspose(3, 4, strides=3, padding='same', output_padding=2)(x)")
add("conv3d_transpose",[F(2,3,3,2)],"L.Conv3DTranspose(2, 2, strides=2)(x)")
add("conv3d_transpose_same",[F(2,3,3,2)],"L.Conv3DTranspose(2, 3, strides=2, padding='same')(x)")
add("depthwise1d_same",[F(7,2)],"L.DepthwiseConv1D(3, strides=2, padding='same')(x)")
add("depthwise2d_dil",[F(7,7,2)],"L.DepthwiseConv2D(3, dilation_rate=2)(x)")
add("separable1d",[F(7,2)],"L.SeparableConv1D(3, 3, depth_multiplier=2)(x)")
add("lc2d",[F(5,4,2)],"L.LocallyConnected2D(3, (3,2), strides=(2,1))(x)",only=2)
add("lc1d_nb",[F(7,2)],"L.LocallyConnected1D(3, 3, strides=2, use_bias=False)(x)",only=2)
add("convlstm2d_all",[F(3,5,5,2)],"L.Concatenate()([L.Flatten()(v) for v in L.ConvLSTM2D(2, 3, strides=2, padding='same', return_state=True, go_backwards=True, return_sequences=True)(x)])")
add("convlstm1d_mask",[((4,5,2),'m')],"L.ConvLSTM1D(2, 3, padding='same', return_sequences=True)(L.Masking()(x))")
add("convlstm1d_hs",[F(3,5,2)],"L.ConvLSTM1D(2, 2, recurrent_activation='hard_sigmoid', dilation_rate=2, activation='relu', use_bias=False)(x)")
add("convlstm3d",[F(2,3,3,3,1)],"L.ConvLSTM3D(2, 2)(x)")
add("maxpool1d_same",[F(7,2)],"L.MaxPooling1D(3, strides=2, padding='same')(x)")
add("maxpool2d_valid",[F(7,6,2)],"L.MaxPooling2D((2,3), strides=(1,2))(L.Conv2D(2,1)(x))")
add("avgpool3d_same",[F(3,4,5,2)],"L.AveragePooling3D(2, strides=2, padding='same')(L.Conv3D(2,1)(x))")
add("global2d",[F(4,3,2)],"L.Concatenate()([L.GlobalAveragePooling2D()(x), L.GlobalMaxPooling2D()(x)])")
add("avgpool2d_cf",[F(2,6,6)],"L.AveragePooling2D(2, data_format='channels_first')(x)",only=3)
add("gap_cf",[F(2,6,6)],"L.GlobalAveragePooling2D(data_format='channels_first')(x)")
add("adaptive_avg1d",[F(7,2)],"L.AdaptiveAveragePooling1D(3)(x)",only=3)
add("adaptive_avg2d",[F(7,5,2)],"L.AdaptiveAveragePooling2D((3,2))(x)",only=3)
add("adaptive_max2d",[F(7,5,2)],"L.AdaptiveMaxPooling2D((3,2))(x)",only=3)
add("adaptive_max3d",[F(4,5,4,2)],"L.AdaptiveMaxPooling3D(2)(x)",only=3)
for cell in ("SimpleRNN", "GRU", "LSTM"):
    add("%s_bi_seq" % cell.lower(),[F(4,3)],"L.Bidirectional(L.%s(3, return_sequences=True))(x)" % cell)
    add("%s_bi_mask" % cell.lower(),[((4,3),'m')],"L.Bidirectional(L.%s(3))(L.Masking()(x))" % cell)
    add("%s_bi_mask_seq" % cell.lower(),[((4,3),'m')],"L.Bidirectional(L.%s(3, return_sequences=True), merge_mode='sum')(L.Masking()(x))" % cell)
    add("%s_nobias" % cell.lower(),[F(4,3)],"L.%s(3, use_bias=False)(x)" % cell)
    add("%s_backmask" % cell.lower(),[((4,3),'g')],"L.%s(3, go_backwards=True)(L.Masking()(x))" % cell)
    add("%s_td" % cell.lower(),[F(4,3)],"L.TimeDistributed(L.Dense(2))(L.%s(3, return_sequences=True)(x))" % cell)
    add("%s_cell" % cell.lower(),[F(4,3)],"L.RNN(L.%sCell(3), return_sequences=True)(x)" % cell)
add("bi_states",[F(4,3)],"L.Concatenate()(list(L.Bidirectional(L.LSTM(3, return_state=True))(x)))")
add("bi_init",[F(4,3),F(3),F(3)],"L.Bidirectional(L.GRU(3))(x[0], initial_state=[x[1],x[2]])")
add("gru_relu",[F(4,3)],"L.GRU(3, activation='relu', recurrent_activation='hard_sigmoid')(x)")
add("gru_before_mask",[((4,3),'m')],"L.GRU(3, reset_after=False, return_sequences=True)(L.Masking()(x))")
add("lstm_const",[F(4,3),F(3),F(3)],"L.LSTM(3)(x[0], initial_state=[x[1],x[2]])")
add("td_mask",[((4,3),'m')],"L.LSTM(3)(L.TimeDistributed(L.Dense(3))(L.Masking()(x)))")
add("bn_nocenter",[F(4)],"L.BatchNormalization(center=False, momentum=.9)(x)")
add("bn_3d",[F(4,3)],"L.BatchNormalization(momentum=.8)(x)")
add("bn_3d_ax1",[F(4,3)],"L.BatchNormalization(axis=1, momentum=.8)(x)")
add("bn_5d",[F(2,3,3,2)],"L.BatchNormalization(momentum=.8)(x)")
add("bn_5d_ax1",[F(2,3,3,2)],"L.BatchNormalization(axis=1, momentum=.8)(x)")
add("bn_init",[F(4)],"L.BatchNormalization(moving_mean_initializer='ones', beta_initializer=I.Constant(.2))(x)")
add("bn_sync",[F(4)],"L.BatchNormalization(synchronized=True, momentum=.8)(x)")
add("ln_multi",[F(4,3)],"L.LayerNormalization(axis=[1,2], epsilon=.01)(x)")
add("ln_nocenter",[F(4,3)],"L.LayerNormalization(center=False)(x)")
add("gn_ax",[F(4,3,3)],"L.GroupNormalization(groups=2, axis=1)(x)")
add("unit",[F(4)],"L.UnitNormalization()(L.Dense(3)(x))")
add("spec_conv",[F(5,5,2)],"L.SpectralNormalization(L.Conv2D(3, 2))(x)",only=3)
add("spec_adam",[F(5)],"L.SpectralNormalization(L.Dense(3, kernel_regularizer='l2', kernel_constraint='non_neg'))(x)",only=3,opt='adam')
add("elu",[F(5)],"L.ELU(alpha=.5)(L.Dense(4)(x))")
add("trelu",[F(5)],"L.ThresholdedReLU(theta=.2)(L.Dense(4)(x))",only=2)
add("orth_rows",[F(5)],"L.Dense(4, kernel_regularizer=R.OrthogonalRegularizer(factor=.03))(x)")
add("radial",[F(5)],"L.Dense(4, kernel_constraint=C.NonNeg())(x)",only=3)
add("max",[F(4),F(4)],"L.Maximum()([L.Dense(3)(v) for v in x])")
add("concat",[F(4),F(4)],"L.Concatenate()([L.Dense(3)(v) for v in x])")
add("dot22",[F(3,4),F(5,4)],"L.Dot(axes=(2,2))([x[0], L.Dense(4)(x[1])])")
add("add_bcast",[F(3,4),F(1,4)],"L.Add()([L.Dense(4)(x[0]), x[1]])")
add("mul_mask",[((4,3),'m'),((4,3),'g')],"L.GRU(3)(L.Multiply()([L.Masking()(x[0]), L.Masking()(x[1])]))")
add("concat_mask",[((4,3),'m'),((4,3),'g')],"L.GRU(3)(L.Concatenate()([L.Masking()(x[0]), L.Masking()(x[1])]))")
add("repeat",[F(4)],"L.LSTM(3)(L.RepeatVector(3)(L.Dense(2)(x)))")
add("crop3d",[F(4,4,4,2)],"L.Cropping3D(((1,0),(0,1),1))(L.Dense(2)(x))")
add("up1d",[F(4,2)],"L.Conv1D(2,2)(L.UpSampling1D(3)(x))")
add("zp_cf",[F(2,3,3)],"L.ZeroPadding2D(1, data_format='channels_first')(x)")
add("flat_mask",[F(4,3)],"L.Flatten()(x)")
add("att",[F(3,4),F(5,4)],"L.Attention()([L.Dense(4)(x[0]), L.Dense(4)(x[1])])")
add("att_scores",[F(3,4),F(5,4)],"L.Concatenate()([L.Flatten()(v) for v in L.Attention(use_scale=True)([L.Dense(4)(x[0]), L.Dense(4)(x[1])], return_attention_scores=True)])")
add("att_masked",[((4,3),'m'),((5,3),'g')],"L.Attention()([L.Masking()(x[0]), L.Masking()(x[1])])")
add("att_masks",[((4,3),'m'),((5,3),'g'),((4,),'b'),((5,),'b')],"L.Attention()([x[0], L.Dense(3)(x[1])], mask=[x[2],x[3]])")
add("addatt_key",[F(3,4),F(5,4),F(5,4)],"L.AdditiveAttention()([x[0], L.Dense(4)(x[1]), L.Dense(4)(x[2])])")
add("mha_cross",[F(3,4),F(5,4)],"L.MultiHeadAttention(num_heads=2, key_dim=3)(x[0], x[1])")
add("mha_key",[F(3,4),F(5,4),F(5,3)],"L.MultiHeadAttention(num_heads=2, key_dim=3)(x[0], x[1], x[2])")
add("mha_mask",[F(3,4),((3,3),'b')],"L.MultiHeadAttention(num_heads=2, key_dim=3)(x[0], x[0], attention_mask=x[1])")
add("mha_reg",[F(3,4)],"L.MultiHeadAttention(num_heads=2, key_dim=3, kernel_regularizer='l2', bias_initializer='ones')(x, x)")
add("mha_padmask",[((5,3),'m')],"L.MultiHeadAttention(num_heads=2, key_dim=3)(*[L.Masking()(x)]*2)")
add("gqa",[F(3,4)],"L.GroupQueryAttention(head_dim=3, num_query_heads=4, num_key_value_heads=2)(x, x)",only=3)
add("gqa_causal",[F(3,4)],"L.GroupQueryAttention(head_dim=3, num_query_heads=4, num_key_value_heads=2, use_bias=False)(x, x, use_causal_mask=True)",only=3)
add("norm_adapt",[F(4)],"L.Dense(3)(adapt(L.Normalization())(x))")
add("norm_adapt_ax",[F(3,4)],"L.Dense(3)(adapt(L.Normalization(axis=1))(x))")
add("resc_list",[F(3)],"L.Dense(3)(L.Rescaling([1.,2.,3.], offset=[0.,.1,.2])(x))",only=3)
add("disc_onehot",[F(3)],"L.Dense(3)(L.Discretization(bin_boundaries=[-.5, 0., .4], output_mode='multi_hot')(x))")
add("cat_multi",[((3,),'i5')],"L.Dense(3)(L.CategoryEncoding(num_tokens=5, output_mode='multi_hot')(x))")
add("cat_count",[((3,),'i5')],"L.Dense(3)(L.CategoryEncoding(num_tokens=5, output_mode='count')(x))")
add("resize_nearest",[F(4,3,2)],"L.Dense(2)(L.Resizing(2, 5, interpolation='nearest')(x))")
add("flip",[F(4,3,2)],"L.Dense(2)(L.RandomFlip()(x, training=False))",only=2)
add("contrast",[F(4,3,2)],"L.Dense(2)(L.RandomContrast(.1)(x, training=False))",only=2)
add("seq_nested",[F(4)],"K.Sequential([L.Dense(3, activation='relu'), L.Dense(2)])(x)")
add("nested_twice",[F(4)],"(lambda m: L.Concatenate()([m(x), m(L.Dense(4)(x))]))(K.Sequential([L.Dense(3)]))")
add("ops",[F(4),F(4)],"abs(x[0]) - L.Dense(4)(x[1])**2 / 3.")
add("ops2",[F(3,4)],"(1. - L.Dense(4)(x))[..., ::2]")
add("ops3",[F(3,4)],"L.Dense(4)(x)[:, -1]")
add("ops4",[F(3,4),F(4,2)],"L.Dense(4)(x[0]) @ x[1]")
add("mlp_two_losses",[F(4)],"[L.Dense(1, name='a')(x), L.Dense(2, name='b')(x)]",tail='none',loss=['mse','mae'],loss_weights=[.3,.7],y=[(1,),(2,)])
add("maxpool_act",[F(6,6,2)],"L.MaxPooling2D(2)(L.Conv2D(2,3,activation='relu')(x))")
add("ident",[F(4)],"L.Dense(2)(L.Identity()(x))")
add("reshape0",[F(4,3)],"L.Reshape((3,4))(x)")
add("wd",[F(4)],"L.Dense(3, kernel_regularizer=R.L1L2(.01,.02))(x)",opt='adam')
add("mask_lambda_pool",[((4,3),'m')],"L.GlobalMaxPooling1D()(L.Masking()(x))")
add("mask_drop",[((4,3),'m')],"L.GlobalAveragePooling1D()(L.Dropout(0.)(L.Masking()(x)))")
for activation in ("gelu", "selu", "elu", "softplus", "softsign", "swish", "exponential"):
    add("activation_" + activation, [F(5)], "L.Activation('%s')(L.Dense(4)(x))" % activation)
