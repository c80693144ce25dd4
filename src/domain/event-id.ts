/** Matches the ID of a threat event, with or without its dashes, in any case. Part of a larger pattern. */
export const EVENT_ID = '(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32})'
