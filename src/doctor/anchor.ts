import { existsSync } from 'node:fs'
import { mkdtemp, open, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { MINUTE_MS } from '@signalman/runtime'
import type { Store } from '../app/store.ts'
import { createAnchorPlace } from '../bot/audit/anchor.ts'
import type { Config } from '../config.ts'
import type { AnchorTarget } from '../domain/audit-anchor.ts'
import { advice, catchSealError, type DoctorFinding, describeError, fault, ok } from './finding.ts'
import { createClient, findErrorCode } from './slack.ts'

const PART = 'audit anchor'
const LATE_AFTER_MS = 10 * MINUTE_MS

type AnchorStore = Pick<Store, 'anchoring' | 'installations'>
type SlackConfig = Pick<Config, 'slack'>

/** Checks that records can be written to AUDIT_ANCHOR, that the place is this database's, and that nothing waits for it. */
export async function examineAnchor(
  store: AnchorStore,
  { auditAnchor: target, slack }: Pick<Config, 'auditAnchor'> & SlackConfig,
  now: Date,
): Promise<DoctorFinding> {
  if (!target)
    return advice(
      PART,
      'The latest entry of the audit log isn’t anchored outside the database.',
      'Set AUDIT_ANCHOR. Without it, someone with access to the database could truncate the log unnoticed.',
    )
  const { anchoring } = store
  const problem =
    (await (target.kind === 'file' ? examineFile(target.path) : examineChannel(store, target, { slack }))) ??
    (await examineContent(store, target))
  if (problem) return problem
  // An old anchor is fine if the log has no newer rows.
  const since = await anchoring.findOldestUnanchoredAt()
  const { last } = await anchoring.readState()
  const lastText = last ? `last stored at ${last.at}` : 'nothing was stored there yet'
  if (since && now.getTime() - since.getTime() > LATE_AFTER_MS)
    return fault(
      PART,
      `Audit entries have been waiting since ${since.toISOString()} to be anchored; ${lastText}.`,
      'Start the app if it isn’t running. If it is, its log says why the channel or file in AUDIT_ANCHOR refuses the anchor.',
    )
  if (since) return ok(PART, `The newest entries will be anchored within a minute; ${lastText}.`)
  return ok(PART, `The whole log is anchored; ${lastText}.`)
}

/** Opens the file for appending, or checks that its folder is writable if it doesn't exist yet. Changes nothing. */
async function examineFile(path: string): Promise<DoctorFinding | undefined> {
  const folder = dirname(resolve(path))
  if (!existsSync(folder))
    return fault(PART, `The folder ${folder} doesn’t exist.`, 'Create it, or fix AUDIT_ANCHOR.')
  try {
    if (existsSync(path)) await (await open(path, 'a'))[Symbol.asyncDispose]()
    else await rmdir(await mkdtemp(join(folder, '.signalman-')))
    return undefined
  } catch (error) {
    return fault(
      PART,
      `${path} can’t be written (${describeError(error)}), so the audit log isn’t anchored.`,
      'Set AUDIT_ANCHOR to a file that the app’s user may write, on a disk that is mounted writable.',
    )
  }
}

/** Asks Slack whether the app is in the channel. */
async function examineChannel(
  { installations }: Pick<Store, 'installations'>,
  { workspaceId, channelId }: Extract<AnchorTarget, { kind: 'slack' }>,
  { slack: { tenants, apiUrl } }: SlackConfig,
): Promise<DoctorFinding | undefined> {
  const installation =
    'botToken' in tenants || workspaceId === undefined
      ? undefined
      : await installations.find({ workspaceId, enterpriseId: workspaceId }).catch(catchSealError)
  const token =
    'botToken' in tenants
      ? tenants.botToken
      : installation !== 'undecryptable'
        ? installation?.botToken
        : undefined
  const invite = 'Invite the app to the channel, or set AUDIT_ANCHOR to the ID of a channel that it is in.'
  if (token === undefined)
    return fault(
      PART,
      `The app isn’t installed in ${workspaceId ?? 'the workspace of AUDIT_ANCHOR'}.`,
      invite,
    )
  try {
    const { channel } = await createClient(token, apiUrl).conversations.info({ channel: channelId })
    if (channel?.is_archived) return fault(PART, `The channel ${channelId} is archived.`, invite)
    if (channel?.is_member === false) return fault(PART, `The app isn’t in the channel ${channelId}.`, invite)
    return undefined
  } catch (error) {
    const code = findErrorCode(error)
    return code === undefined
      ? fault(
          PART,
          `Slack didn’t say whether the app is in the channel ${channelId} (${describeError(error)}).`,
        )
      : fault(
          PART,
          `Slack refuses the channel ${channelId} (${code}), so the audit log isn’t anchored.`,
          invite,
        )
  }
}

/** Checks that the place ends with what this database wrote there. */
async function examineContent(
  { anchoring }: Pick<Store, 'anchoring'>,
  target: AnchorTarget,
): Promise<DoctorFinding | undefined> {
  const forWorkspace = () => Promise.reject(new Error('Only a file is read here.'))
  const problem = await anchoring
    .examinePlace(createAnchorPlace(target, { forWorkspace }))
    .catch((error: unknown) => `It can’t be read (${describeError(error)}).`)
  return problem === undefined ? undefined : fault(PART, problem, 'See “AUDIT_ANCHOR” in docs/security.md.')
}
