/**
 * What a write to a health check holds, so that no two writes of Signalman overlap, even from two workspaces that use the same
 * account, or one person types the UUID in capitals.
 */
export const checkKey = ({ address }: { readonly address: string }, uuid: string): string =>
  `check ${address} ${uuid.toLowerCase()}`
