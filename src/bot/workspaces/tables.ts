import { columns, date, maybe, oneOf, type RowOf, type RowsOf, table, text } from '@signalman/durable'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import type { SubjectKind } from '../../domain/roles.ts'

/** The environment of the service that a row belongs to. */
export const environment = () => oneOf(...ENVIRONMENTS)

/** The columns of a connection without its token. */
export const CONNECTION_SUMMARY = columns({
  workspaceId: text(),
  environment: environment(),
  /** The person who stored it. */
  userId: text(),
  storedAt: date(),
  /** Identifies the account. A new token of the same account keeps it. */
  account: text(),
})
/** The token is encrypted for exactly this row. */
const CONNECTION = columns({ ...CONNECTION_SUMMARY.columns, sealedToken: text() })

/** A channel's own settings. */
const CHANNEL = columns({ workspaceId: text(), channelId: text(), environment: environment() })

/** The columns of an installation without its token. */
export const INSTALLATION_SUMMARY = columns({
  /** The workspace's ID. */
  id: text(),
  /** The organization that the workspace belongs to. */
  enterpriseId: maybe(text()),
  /** The person who installed it. */
  installedBy: text(),
})
/** The bot token is encrypted for exactly this row. */
const INSTALLATION = columns({ ...INSTALLATION_SUMMARY.columns, sealedToken: text() })

/** A role that was granted to a subject. */
export const ROLE_GRANT = columns({
  workspaceId: text(),
  role: oneOf('operator', 'approver', 'admin'),
  subjectKind: oneOf<SubjectKind>('user', 'group', 'everyone'),
  /** A user's or a group's ID; `*` for everyone. */
  subjectId: text(),
  grantedBy: text(),
  grantedAt: date(),
  /** When it expires. */
  endsAt: maybe(date()),
})

export type ConnectionRow = RowOf<typeof CONNECTION.columns>
export type InstallationRow = RowOf<typeof INSTALLATION.columns>
export type RoleGrantRow = RowOf<typeof ROLE_GRANT.columns>

declare module '@signalman/durable/schema' {
  interface Schema extends RowsOf<typeof BOT_TABLES> {}
}

export const BOT_TABLES = [
  table('installation', {
    columns: INSTALLATION,
    row: 'the app in a workspace, with its token, encrypted',
    bound: 'one for each workspace that installed the app',
    key: ['id'],
    owner: 'id',
    forgotten: 'apart',
    sealed: { sealed_token: {} },
  }),
  table('connection', {
    columns: CONNECTION,
    row: "a workspace's token for the service, encrypted",
    bound: 'one for each environment of a workspace',
    key: ['workspace_id', 'environment'],
    sealed: { sealed_token: {} },
  }),
  table('channel', {
    columns: CHANNEL,
    key: ['workspace_id', 'channel_id'],
    row: 'the environment that someone chose for a channel',
    bound: 'one for each channel',
    forgotten: 'kept',
  }),
  table('role_grant', {
    columns: ROLE_GRANT,
    row: 'a role that was given',
    bound:
      'one for each role of a person, a group, or everyone; expired ones are removed the next time anyone’s roles change',
    key: ['workspace_id', 'role', 'subject_kind', 'subject_id'],
    forgotten: 'kept',
  }),
] as const

/** Adds a token that isn't enumerable, so that JSON, logs, and spreads leave it out. */
export const withHidden = <Shown extends object, Name extends string>(
  shown: Shown,
  name: Name,
  value: string,
) =>
  // defineProperty returns its argument, but its type doesn't have the new property.
  Object.defineProperty(shown, name, { value, enumerable: false }) as Shown & Readonly<Record<Name, string>>
