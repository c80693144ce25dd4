/** What the service said of a failure, as a person reads it: one sentence for each of its own. */
export const serviceSaid = (said: readonly string[]): string[] =>
  said.map((sentence) => `The service said: “${sentence}”`)
