// Behaviours that charts may name. A new one is a file and a row.
import type { Stage } from "./figure";
import { timelineBehaviour } from "./timeline_behaviour";

export const behaviours: Record<"timeline", (stage: Stage) => void> = { timeline: timelineBehaviour };
