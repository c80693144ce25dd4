/** Whether the text is a day that exists, as YYYY-MM-DD. */
export const isDate = (value: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true

/** Whether the text is a time of day, as HH:mm. */
export const isTime = (value: string): boolean => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(value)
