import { DAY_MS } from '@signalman/runtime'

/** As long as Slack could repeat what began them, with room to spare. */
export const ACTS_KEPT_MS = DAY_MS
/** As long as the buttons that start, stop and undo them work. */
export const JOBS_KEPT_MS = 7 * DAY_MS
export const JOBS_KEPT_IN_WORDS = 'a week'
