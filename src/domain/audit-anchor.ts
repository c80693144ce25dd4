/** Where the signed ends of the audit log are put: out of reach of whoever has the database. */
export type AnchorTarget =
  /** A channel of the one workspace, or of the named one of many. */
  | { readonly kind: 'slack'; readonly workspaceId: string | undefined; readonly channelId: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'https'; readonly url: string }

/** Reads `slack:CHANNEL`, `slack:WORKSPACE/CHANNEL`, `file:PATH` or `https://…`; undefined for anything else. */
export function parseAnchorTarget(text: string): AnchorTarget | undefined {
  const [, workspaceId, channelId] =
    /^slack:(?:([TE][A-Z0-9]{1,20})\/)?([CG][A-Z0-9]{1,20})$/.exec(text) ?? []
  if (channelId !== undefined) return { kind: 'slack', workspaceId, channelId }
  const [, path] = /^file:(?!\/\/)([^\0]+)$/.exec(text) ?? []
  if (path !== undefined) return { kind: 'file', path }
  return URL.parse(text)?.protocol === 'https:' ? { kind: 'https', url: text } : undefined
}
