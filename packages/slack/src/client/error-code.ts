/** The code of Slack's own with which it refused a call: `@slack/web-api` puts it into its message. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error ? /^An API error occurred: ([a-z_]+)/.exec(error.message)?.[1] : undefined

/** The scopes any of which the refused call needs, as Slack names them; undefined where it was refused for anything else. */
export function lackedScopes(error: unknown): string[] | undefined {
  if (errorCode(error) !== 'missing_scope') return undefined
  // What the library throws carries Slack's whole answer.
  const { data } = error as { data?: { needed?: unknown } }
  return typeof data?.needed === 'string' ? data.needed.split(',') : []
}
