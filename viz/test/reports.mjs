// Reports that tests need in a size or a state that no small file has: a sweep of 1,000 points, a step of
// 20,000 bars, and names that try to be markup. They are made by arithmetic, so that each test can count for
// itself.
import { readFileSync } from "node:fs";

export function stored(name) {
  return JSON.parse(readFileSync(new URL(`data/${name}.json`, import.meta.url), "utf8"));
}

export function reportOf(...results) {
  return {
    format: "windtunnel report",
    format_version: 1,
    version: "0.1.0",
    constants_version: 2,
    title: results[0]?.name ?? "nothing",
    results,
  };
}

const column = (key, unit, type, is_axis = false, scale = "linear") => ({
  key,
  title: key.replace(/_s$/, "").replaceAll("_", " "),
  unit,
  type,
  is_axis,
  scale,
});

// 5 platforms, 10 counts of devices, 4 batches, 5 link bandwidths. Every 19th point runs out of memory.
export function sweep() {
  const columns = [
    column("point", "", "count"),
    column("batch", "", "count", true),
    column("link_bandwidth", "", "text", true, null),
    column("platform", "", "text", true, null),
    column("devices", "", "count", true, "log"),
    column("step_time_s", "s", "number", false, "log"),
    column("samples_per_second", "samples/s", "number", false, "log"),
    column("scaling_efficiency", "", "number"),
    column("baseline_devices", "", "count"),
    column("baseline_samples_per_second", "samples/s", "number"),
    column("currency", "", "text"),
    column("cost_per_million_samples", "", "number"),
    column("outcome", "", "text"),
    column("reason", "", "text"),
    column("predicted_over_true_low", "", "number"),
    column("predicted_over_true_high", "", "number"),
    column("known_from", "", "text"),
  ];
  const values = Object.fromEntries(columns.map(({ key }) => [key, []]));
  let point = 0;
  for (let platform = 0; platform < 5; ++platform)
    for (const batch of [32, 64, 128, 256])
      for (const link of [25, 50, 100, 200, 400])
        for (let power = 0; power < 10; ++power) {
          const devices = 2 ** power;
          const efficiency = 1 / (1 + (0.02 * power * (platform + 1)) / Math.sqrt(link / 25));
          const one = 400 * (platform + 1) * (batch / (batch + 16));
          const isDone = point % 19 !== 0;
          const row = {
            point,
            batch,
            link_bandwidth: `${link} Gb/s`,
            platform: `platform_${platform}`,
            devices,
            step_time_s: (batch * devices) / (one * devices * efficiency),
            samples_per_second: one * devices * efficiency,
            scaling_efficiency: efficiency,
            baseline_devices: 1,
            baseline_samples_per_second: one,
            currency: "USD",
            cost_per_million_samples: (1 + platform) / efficiency,
            predicted_over_true_low: 0.9,
            predicted_over_true_high: platform > 3 ? 1.9 : 1.2,
            known_from: platform > 3 ? "data sheet alone" : "published",
          };
          const kept = new Set(["point", "batch", "link_bandwidth", "platform", "devices"]);
          for (const { key } of columns)
            values[key].push(
              key === "outcome"
                ? isDone
                  ? "done"
                  : "out_of_memory"
                : key === "reason"
                  ? isDone
                    ? null
                    : "OOM, of <b>course</b>"
                  : isDone || kept.has(key)
                    ? row[key]
                    : null,
            );
          point += 1;
        }
  return {
    kind: "sweep",
    format_version: 1,
    name: "a thousand points",
    headline: [],
    notes: [],
    columns,
    points: point,
    values,
    suggested: { x: "devices", y: "samples_per_second", series: "platform" },
  };
}

// A step of `count` kernels on 8 devices, each of 3 µs after a gap of 1 µs, which wait for their
// predecessors.
export function manyBars(count) {
  const run = structuredClone(stored("run").results[0]);
  const bars = {
    track: [],
    name: [],
    kind: [],
    scope: [],
    start_us: [],
    duration_us: [],
    bytes: [],
    waited_for: [],
    critical: [],
  };
  for (let bar = 0; bar < count; ++bar) {
    const turn = Math.floor(bar / 8);
    bars.track.push(bar % 8);
    bars.name.push(turn % 3);
    bars.kind.push(0);
    bars.scope.push(0);
    bars.start_us.push(turn * 4);
    bars.duration_us.push(3);
    bars.bytes.push(null);
    bars.waited_for.push(bar - 8 < 0 ? -1 : bar - 8);
    bars.critical.push(bar % 8 === 0 ? 1 : 0);
  }
  const devices = [...Array(8).keys()].map(
    (device) => `/job:localhost/replica:0/task:0/device:GPU:${device}`,
  );
  run.timeline = {
    step_time_s: Math.ceil(count / 8) * 4e-6,
    shown: "one step",
    groups: { name: devices, kind: devices.map(() => "device") },
    tracks: {
      group: [...devices.keys()],
      name: devices.map((name) => `${name}: compute`),
      label: devices.map(() => "compute"),
      kind: devices.map(() => "compute"),
    },
    names: ["matmul", "conv2d", "relu"],
    scopes: ["a layer"],
    kinds: ["kernel"],
    bars,
  };
  run.name = `a step of ${count} bars`;
  return run;
}

export const hostileName =
  `</script><script>window.broken = 1</script><img src=x onerror="window.broken = 2">"'&\u202e` +
  "x".repeat(300);

// Every text of a report replaced by a name that tries to be markup.
export function hostile(value, key = "") {
  const structural = new Set(["kind", "key", "outcome", "layout", "format", "type", "scale", "verdict"]);
  if (typeof value === "string") return structural.has(key) ? value : hostileName;
  if (Array.isArray(value))
    return value.map((each) => (key === "kind" || key === "kinds" ? each : hostile(each, key)));
  if (value && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hostile(each, name)]));
  return value;
}

// Every figure of a report replaced by this one. Positions in lists of the report stay, since the program writes them
// from lists of its own.
export function withFigures(value, figure, key = "") {
  const positions = new Set([
    "group",
    "track",
    "tracks",
    "scope",
    "kind",
    "name",
    "from",
    "to",
    "bars",
    "first",
    "last",
  ]);
  if (positions.has(key)) return value;
  if (typeof value === "number" && !Number.isInteger(value)) return figure;
  if (Array.isArray(value)) return value.map((each) => withFigures(each, figure, key));
  if (value && typeof value === "object")
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, withFigures(each, figure, name)]),
    );
  return value;
}

// A run whose workers don't wait for each other, bound by what `bottleneck` names.
export function pool(bottleneck) {
  const run = structuredClone(stored("run").results[0]);
  run.simulated.pool = {
    workers: 3,
    servers: 2,
    updates_per_second: 1000,
    interval_s: 0.001,
    closures: 60,
    end_s: 0.06,
    bottleneck,
    limits: [{ name: "the workers", interval_s: 0.0007 }],
    waiting_workers: 0.9,
    queues: [{ name: "the coordinator", mean: 0.8, longest: 2 }],
    coordinator_busy: 0.97,
    servers_busy: [0, 1].map((task) => ({
      name: `/job:ps/replica:0/task:${task}/device:CPU:0`,
      share: 0.25 + task / 8,
    })),
    busiest_link: { name: "switch -> machine 4/nic 0", share: 0.5 },
    staleness: { mean: 1.5, updates: [10, 20, 20, 10], mean_by_worker: [1, 2, 1.5] },
  };
  return run;
}

// A run of three attempts: a worker is killed and three steps are trained again, another one is preempted after
// all has been saved, and a network is cut for so short a time that nothing ends.
export function failing() {
  const run = structuredClone(stored("run").results[0]);
  const task = (index) => `/job:worker/replica:0/task:${index}`;
  const message = (index) =>
    `Collective ops is aborted by: failed to connect to all addresses\nAdditional GRPC error information from remote target ${task(index)}`;
  run.name = "workers fail and the job goes on";
  run.failures = {
    complete: true,
    restarts: 2,
    lost_steps: 3,
    goodput: 60 / 269,
    end_s: 269,
    undisturbed_s: 82,
    time_to_recover_s: 94,
    attempts: [
      {
        begin_s: 0,
        stop_s: 24,
        first_step: 0,
        end_step: 8,
        kept_steps: 5,
        failure: "killed",
        task: task(1),
        lost_steps: 3,
        saved_in_time: false,
        end_s: 30,
        status: "UNAVAILABLE",
        message: message(1),
      },
      {
        begin_s: 161,
        stop_s: 196,
        first_step: 5,
        end_step: 18,
        kept_steps: 18,
        failure: "preempted",
        task: task(2),
        lost_steps: 0,
        saved_in_time: true,
        end_s: 196,
        status: "UNAVAILABLE",
        message: message(2),
      },
      { begin_s: 236, stop_s: 269, first_step: 18, end_step: 30, kept_steps: 30 },
    ],
    stalls: [{ failure: "cut", task: task(1), begin_s: 10, end_s: 14 }],
  };
  return run;
}

// A run of `count` attempts: each trains 10 steps of 10 s and saves after 6 of them, its processes need 20 s to end
// and 80 s to train again. So of 200 s of an attempt 60 s are kept and 40 s are lost.
export function manyFailures(count) {
  const run = failing();
  const kinds = ["killed", "preempted", "cut"];
  run.name = `${count} attempts`;
  run.failures = {
    complete: false,
    restarts: count - 1,
    lost_steps: 4 * count,
    goodput: 60 / 200,
    end_s: 200 * count - 80,
    undisturbed_s: 60 * count,
    time_to_recover_s: 140,
    attempts: [...Array(count).keys()].map((at) => ({
      begin_s: 200 * at,
      stop_s: 200 * at + 100,
      first_step: 6 * at,
      end_step: 6 * at + 10,
      kept_steps: 6 * (at + 1),
      failure: kinds[at % 3],
      task: `/job:worker/replica:0/task:${at % 7}`,
      lost_steps: 4,
      saved_in_time: false,
      end_s: 200 * at + 120,
      status: "UNAVAILABLE",
      message: "gone",
    })),
    stalls: [],
  };
  return run;
}

// A sweep over intervals between checkpoints for three rates of failures. A step takes 1 s, a checkpoint 20 s, a
// restart 60 s, and a failure loses half of an interval on average: the goodput is highest in between. All other
// figures are alike. `limit`: the intervals after which a job practically never ends.
export function checkpointIntervals(intervals = [25, 50, 100, 200, 400, 800, 1600, 3200], limit = 4) {
  const columns = [
    column("point", "", "count"),
    {
      ...column("job.time_between_device_failures", "", "text", true, null),
      title: "job.time between device failures",
    },
    {
      ...column("training.checkpointing.every_steps", "", "count", true),
      title: "training.checkpointing.every steps",
    },
    column("platform", "", "text"),
    column("devices", "", "count", false, "log"),
    column("step_time_s", "s", "number", false, "log"),
    column("samples_per_second", "samples/s", "number", false, "log"),
    column("scaling_efficiency", "", "number"),
    column("job_time_s", "s", "number"),
    column("goodput", "", "number"),
    column("checkpoint_interval_s", "s", "number"),
    column("outcome", "", "text"),
    column("reason", "", "text"),
  ];
  const values = Object.fromEntries(columns.map(({ key }) => [key, []]));
  let point = 0;
  for (const hours of [100, 300, 1000])
    for (const steps of intervals) {
      const between = (hours * 3600) / 128;
      const isDone = steps < limit * between;
      const goodput = 1 / ((1 + 20 / steps) * (1 + (steps / 2 + 60) / between));
      const row = {
        point: point++,
        "job.time_between_device_failures": `${hours} h`,
        "training.checkpointing.every_steps": steps,
        ...(isDone && {
          platform: "dgx_h100",
          devices: 128,
          step_time_s: 1,
          samples_per_second: 4096,
          scaling_efficiency: 0.9,
          job_time_s: 200000 / goodput,
          goodput,
          checkpoint_interval_s: steps,
        }),
        outcome: isDone ? "done" : "refused",
        reason: isDone ? null : "practically never ends",
      };
      for (const { key } of columns) values[key].push(row[key] ?? null);
    }
  return {
    kind: "sweep",
    format_version: 1,
    name: "how often to save",
    headline: [],
    notes: [],
    columns,
    points: point,
    values,
    suggested: { x: "devices", y: "samples_per_second", series: "platform" },
  };
}
