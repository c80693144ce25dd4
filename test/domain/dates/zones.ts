/** Zones whose clocks change by an hour, by half an hour, for Ramadan, and never. */
export const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Asia/Kathmandu',
  'UTC',
] as const
