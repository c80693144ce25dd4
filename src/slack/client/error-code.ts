/** The code of Slack's own with which it refused a call: `@slack/web-api` puts it into its message. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error ? /^An API error occurred: ([a-z_]+)/.exec(error.message)?.[1] : undefined
