// The data of a report, as the program writes it (scenarios/schema/report.json). The page computes no result:
// each figure that it shows stands here. Keys state their units, and long tables are written by column.

export type Cell = string | number | boolean | null;
export type Columns<Key extends string> = Record<Key, Cell[]>;

export interface Report {
  format: string;
  format_version: number;
  version: string;
  constants_version: number;
  title: string;
  results: Result[];
}

export interface Result {
  kind: string;
  name: string;
  format_version: number;
  headline?: Figure[];
  notes?: string[];
  assumptions?: Assumption[];
}

export interface Figure {
  key: string;
  label: string;
  value: number | string | null;
  unit: string;
  text: string;
  low?: number;
  high?: number;
  low_text?: string;
  high_text?: string;
  basis?: string;
}

export interface Assumption {
  name: string;
  value: string;
  source: string;
  note?: string;
  with_20_percent_less?: string;
  with_20_percent_more?: string;
  changes_first?: boolean;
}

export interface Run extends Result {
  kind: "run";
  strategy: string;
  semantics: string;
  numerics: string;
  outcome: string;
  message?: string;
  model: { name: string; parameters: number; trainable_parameters: number };
  planned: {
    replicas: number;
    workers: number;
    devices?: number;
    global_batch: number;
    epochs: number;
    steps: number;
  };
  simulated?: {
    platform: string;
    device: string;
    precision: string;
    step_time_s: number;
    basis?: string;
    pool?: Pool;
  };
  failures?: Failures;
  uncertainty?: Uncertainty;
  training?: Training;
  split?: Split;
  split_note?: string;
  timeline?: Timeline;
  memory?: DeviceMemory[];
  machine?: Machine;
  collectives?: Collectives;
  explanation?: Explanation;
}

// The course of a job through failures. Dates count from the beginning of the first step.
export interface Failures {
  complete: boolean;
  restarts: number;
  lost_steps: number;
  goodput: number;
  end_s: number;
  undisturbed_s: number;
  time_to_recover_s?: number;
  attempts: Attempt[];
  stalls: Stall[];
}

// One start of all processes until their end. What stands from `failure` on is there if one ended it.
export interface Attempt {
  begin_s: number;
  stop_s: number;
  first_step: number;
  end_step: number;
  kept_steps: number;
  steps_applied_twice?: number;
  batches_read_twice?: number;
  failure?: string;
  task?: string;
  lost_steps?: number;
  saved_in_time?: boolean;
  end_s?: number;
  status?: string;
  message?: string;
  waits?: string;
}

export interface Stall {
  failure: string;
  task: string;
  begin_s: number;
  end_s: number;
}

// Workers that don't wait for each other.
export interface Pool {
  workers: number;
  servers: number;
  updates_per_second: number;
  interval_s: number;
  bottleneck: string;
  limits: { name: string; interval_s: number }[];
  waiting_workers: number;
  queues: { name: string; mean: number; longest: number }[];
  coordinator_busy: number;
  servers_busy: { name: string; share: number }[];
  busiest_link: { name: string; share: number };
  staleness: { mean: number; updates: number[]; mean_by_worker: number[] };
}

export interface Uncertainty {
  known_from: string;
  is_data_sheet_alone: boolean;
  kernels_basis: string;
  communication_basis: string;
  nearest?: { row: string; predicted_over_published: number };
  extrapolation?: string;
}

type Metrics = Record<string, (number | null)[]>;

export interface Training {
  steps?: { step: number[]; epoch: number[]; loss: (number | null)[]; metrics?: Metrics };
  epochs?: {
    epoch: number[];
    steps: number[];
    loss: (number | null)[];
    metrics?: Metrics;
    evaluation?: { steps: number[]; loss: (number | null)[]; metrics?: Metrics };
  };
  evaluation?: { loss: number | null; metrics?: Record<string, number | null> };
}

export interface Split {
  device: string[];
  step_time_s: number[];
  compute_s: number[];
  exposed_communication_s: number[];
  hidden_communication_s: number[];
  input_s: number[];
  software_s: number[];
  waiting_s: number[];
}

export interface Timeline {
  step_time_s: number;
  shown?: string;
  left_out?: string;
  groups: { name: string[]; kind: string[] };
  tracks: { group: number[]; name: string[]; label: string[]; kind: string[] };
  names: string[];
  scopes: string[];
  kinds: string[];
  bars: {
    track: number[];
    name: number[];
    kind: number[];
    scope: number[];
    start_us: number[];
    duration_us: number[];
    bytes: (number | null)[];
    waited_for: number[];
    critical: number[];
  };
}

export interface DeviceMemory {
  device: string;
  verdict: string;
  limit_bytes?: number | null;
  arena_bytes: number;
  fragmentation_bytes?: number;
  bytes_at_peak: Record<string, number>;
  over_step?: { position: number[]; time_s?: number[]; kinds: string[]; bytes: number[][] };
  like?: number;
}

export interface Machine {
  layout: string;
  inside?: string;
  caption: string;
  left_out?: string;
  extents?: number[];
  nodes: {
    name: string[];
    label: string[];
    kind: string[];
    machine: number[];
    level: number[];
    x: number[];
    y: number[];
    coordinates?: (number[] | null)[];
  };
  machines: { name: string[]; x0: number[]; y0: number[]; x1: number[]; y1: number[] };
  links: {
    name: string[];
    back_name: (string | null)[];
    from: number[];
    to: number[];
    kind: string[];
    bytes_per_second: number[];
    carried_bytes: number[];
    back_carried_bytes: number[];
    busy_s: number[];
    back_busy_s: number[];
    load_share: number[];
    wraps: number[];
  };
}

export interface Collectives {
  name: string[];
  algorithm: (string | null)[];
  protocol: (string | null)[];
  bytes: number[];
  ranks: (number | null)[];
  time_s: number[];
  exposed_s: number[];
  bound_s: (number | null)[];
  bound_share: (number | null)[];
}

export interface Explanation {
  sentence: string;
  bound_by?: string;
  compute?: { arithmetic_s: number; memory_s: number; gap_s: number };
  kernels?: {
    kernel: string[];
    runs: number[];
    time_s: number[];
    arithmetic_share: number[];
    memory_share: number[];
    gap_share: number[];
  };
  changes?: {
    change: string[];
    step_time_s: (number | null)[];
    samples_per_second: (number | null)[];
    gain: (number | null)[];
    why_not: (string | null)[];
  };
}

export interface SweepColumn {
  key: string;
  title: string;
  unit: string;
  type: "count" | "number" | "text";
  is_axis: boolean;
  scale: "log" | "linear" | null;
}

export interface Sweep extends Result {
  kind: "sweep";
  columns: SweepColumn[];
  points: number;
  values: Record<string, Cell[]>;
  suggested?: { x?: string; y?: string; series?: string };
}

export interface CollectiveRows {
  series: string[];
  algorithm: (string | null)[];
  protocol: (string | null)[];
  bytes: number[];
  time_s: number[];
  algbw_gb_per_s: number[];
  busbw_gb_per_s: number[];
  bound_s: (number | null)[];
  bound_busbw_gb_per_s: (number | null)[];
  bound_share: (number | null)[];
}

export interface Measured {
  name: string;
  tool: string;
  rows: {
    bytes: number[];
    time_s: number[];
    algbw_gb_per_s: number[];
    busbw_gb_per_s: number[];
    predicted_s?: (number | null)[];
    error?: (number | null)[];
  };
}

export interface Schedule {
  algorithm: string;
  bytes: number;
  ranks: number;
  members?: string[];
  steps: number;
  left_out?: string;
  moves: {
    from: number[];
    to: number[];
    round: number[];
    bytes: number[];
    start_us: number[];
    duration_us: number[];
  };
}

export interface Collective extends Result {
  kind: "collective";
  platform: string;
  machines: number;
  operation: string;
  ranks: number;
  warnings?: string[];
  rows: CollectiveRows;
  measured?: Measured[];
  schedule?: Schedule;
  machine?: Machine;
  load_of?: string;
}

export interface MachineSize {
  size: string;
  count: number;
  machines: number;
  devices: number;
  rows_each: number;
  global_batch: number;
  strategy: string;
  precision: string;
  all_reduce?: string;
  samples_per_second: number;
  step_time_s: number;
  cost_per_hour?: number;
  cost_per_million_samples?: number;
  currency?: string;
  price?: string;
}

export interface Choice {
  platform: string;
  device: string;
  smallest: MachineSize;
  at_least?: MachineSize | null;
  at_most?: MachineSize | null;
  predicted_over_true: { low: number; median: number; high: number };
  known_from: string;
  limited_by?: string;
  is_tie?: boolean;
}

export interface Recommendation extends Result {
  kind: "recommendation";
  target: string;
  sentence?: string;
  ranked_by?: string;
  held_fixed: string[];
  choices: Choice[];
  too_slow?: { platform: string; device?: string; fastest?: MachineSize; why_not: string }[];
  impossible?: { platform: string; device?: string; why_not: string }[];
  best_measurement?: string;
}
