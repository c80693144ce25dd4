/** What a person changed, for everyone in the channel. */
export interface Said {
  /** In Slack's format. */
  readonly text: string
  readonly button?: { readonly label: string; readonly line: string } | undefined
}
