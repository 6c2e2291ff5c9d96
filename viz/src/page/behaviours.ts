// Behaviours that charts may name. A new one is a file and a row.
import type { Stage } from "./figure";
import { stepThroughPoints } from "./keys";
import { failuresBehaviour } from "./failures_behaviour";
import { timelineBehaviour } from "./timeline_behaviour";

export interface Behaviour {
  start(stage: Stage): void;
  keys: string; // What they do, in words.
}

const points = "left and right read the points, up and down change the series";

export const behaviours: Record<"points" | "timeline" | "failures", Behaviour> = {
  points: { start: stepThroughPoints, keys: points },
  timeline: { start: timelineBehaviour, keys: "plus and minus zoom, left and right move, 0 shows all" },
  failures: { start: failuresBehaviour, keys: `${points}, plus and minus zoom, 0 shows all` },
};
