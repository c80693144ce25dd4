import { resolve } from 'node:path'

/** Where Signalman stores signed heads of the audit log, out of reach of anyone who can write to the database. */
export type AnchorTarget =
  /** A channel. `workspaceId` is set if the deployment has several workspaces. */
  | { readonly kind: 'slack'; readonly workspaceId: string | undefined; readonly channelId: string }
  | { readonly kind: 'file'; readonly path: string }

/** Reads `slack:CHANNEL`, `slack:WORKSPACE/CHANNEL` or `file:PATH`; undefined for anything else. */
export function parseAnchorTarget(text: string): AnchorTarget | undefined {
  const [, workspaceId, channelId] =
    /^slack:(?:([TE][A-Z0-9]{1,20})\/)?([CG][A-Z0-9]{1,20})$/.exec(text) ?? []
  if (channelId !== undefined) return { kind: 'slack', workspaceId, channelId }
  const [, path] = /^file:(?!\/\/)([^\0]+)$/.exec(text) ?? []
  return path === undefined ? undefined : { kind: 'file', path }
}

/** The name under which a target is stored. A file's name contains its absolute path. */
export const anchorName = (target: AnchorTarget): string =>
  target.kind === 'file'
    ? `file:${resolve(target.path)}`
    : `slack:${target.workspaceId === undefined ? '' : `${target.workspaceId}/`}${target.channelId}`
