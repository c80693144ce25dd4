/** What was seen and told is kept for so long: history goes no further back. */
export const WATCHING_KEPT_DAYS = 90
