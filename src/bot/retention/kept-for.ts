import { DAY_MS } from '../../domain/durations.ts'

// What is watched is kept as domain/watching/kept-days.ts says, and docs/data.md says of every table what bounds it.

/** Slack repeats an event for minutes, not days; a day leaves room for its own outages. */
export const KEYS_KEPT_MS = DAY_MS
/** As long as Slack could repeat what began them, with room to spare. */
export const ACTS_KEPT_MS = DAY_MS
/** A post of unknown outcome that nobody has looked for since then is not posted: its news was told otherwise. */
export const ATTEMPTS_KEPT_MS = DAY_MS
/** As long as the buttons that start, stop and undo them work. */
export const JOBS_KEPT_MS = 7 * DAY_MS
export const JOBS_KEPT_IN_WORDS = 'a week'
/** Far longer than any certificate is good for, and than anybody asks who ordered it. */
export const ORDERS_KEPT_MS = 3650 * DAY_MS

/** Threat events that were read, where no admin has said otherwise (`/threat memory`). */
export const THREATS_KEPT_UNSET_DAYS = 90
/** By then, importers of an export have let its indicators expire. */
export const VERSIONS_KEPT_DAYS = 1095
/** A closed case is of use when the same domain comes back; an open one that nobody has touched for so long is abandoned. */
export const CLOSED_CASES_KEPT_DAYS = 365
export const UNTOUCHED_CASES_KEPT_DAYS = 1095
/** Within this time a person who takes a case finds the card that was shared. */
export const SHARES_KEPT_DAYS = 90
