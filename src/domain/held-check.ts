/**
 * What a write to a health check holds, so that no two writes of Signalman overlap, even from two workspaces that use the same
 * account.
 */
export const checkKey = ({ address }: { readonly address: string }, uuid: string): string =>
  `check ${address} ${uuid}`
