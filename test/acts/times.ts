/** The duration of a lease that isn't renewed. */
export const LEASE_MS = 800
export const CALL_TIMEOUT_MS = 4000
/** A write that started this long ago has certainly ended. Longer than any call, with any delay of the service. */
export const SETTLE_MS = Number(process.env.SETTLE_MS ?? 5000)
/** The duration of a stop, including a second for closing. */
export const STOP_LIMIT_MS = 1600
/** After a pause of up to this long, a process still trusts its timers. Must be less than `SETTLE_MS` minus the call timeout. */
export const MAX_PAUSE_MS = 500
