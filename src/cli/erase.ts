import { randomUUID } from 'node:crypto'
import { openStore, type Store } from '../app/store.ts'
import { cmd } from '../domain/command-names.ts'
import { pluralize } from '../domain/wording.ts'
import { OperatorError, printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'
import { readExistingStoreOptions } from './store-from-environment.ts'

const newReference = (): string => randomUUID().slice(0, 8)

export const eraseWorkspaceVerb = operatorVerb({
  help: `
Deletes every row of the workspace from every table: tokens, roles, settings, orders, watches, and the audit log. One audit entry
remains. It records the erasure. This can't be undone.
You can kill it at any point and run it again.
Backups that were made before still contain it: delete them.

Without --yes, it lists what would be erased and changes nothing. Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`,
  flags: { yes: { type: 'boolean', default: false } },
  allowPositionals: true,
  async run({ values, positionals: [workspace, ...more] }, environment) {
    if (workspace === undefined || more.length > 0)
      throw new OperatorError('Name one workspace: signalman erase-workspace ID --yes.', 2)
    await using store = await openStore(readExistingStoreOptions(environment))
    await refuseUnknownWorkspace(store, workspace)
    if (!values.yes) {
      printLine(
        `This would erase all data of ${workspace}, including its audit log. Nothing was changed. To do it, add --yes.`,
      )
      return 2
    }
    const erased = await store.eraseWorkspace(workspace, newReference())
    for (const [table, rows] of erased) printLine(`${table}: ${pluralize(rows, 'row')} erased`)
    printLine(`${workspace}: erased. Its audit log now has one row that records this.`)
    return 0
  },
})

/** Refuses a mistyped ID, which would otherwise look as if something had been erased. */
async function refuseUnknownWorkspace(store: Pick<Store, 'hasDataAbout'>, workspace: string): Promise<void> {
  if (await store.hasDataAbout(workspace)) return
  throw new OperatorError(
    `There’s no data for ${workspace}. Nothing was changed. IDs are in capital letters.`,
  )
}

export const erasePersonVerb = operatorVerb({
  help: `
Removes a person from the audit log of a workspace: from entries of what they did, and from every entry that names them by Slack
ID or, with --also, by another name such as an email address (whole words, ignoring case). These entries lose their subject and
the changed values. They keep their place, time, and verb. The log records how many entries were changed, but not whose. In
cases of threat events, the name becomes "someone". The person's ID stays in everything that is still in effect: roles (which
this lists), orders, watches, mutes, maintenance windows, and who installed the app or stored a token. Their name also stays in
mutes and maintenance windows, and for up to 90 days in outages that they took. What a channel was told that they changed, and
whom they paged, loses their name. Messages that Signalman has already posted in
Slack keep their name. Backups made earlier still contain all of it. If
cases can't be decrypted, they may still name the person: this prints how many there are, and exits with 1. Once they can be
decrypted again (see docs/keys.md), run it again.

Without --yes, it lists how many entries contain each name and changes nothing. Read from the environment: DATABASE_URL,
ENCRYPTION_KEYS.
`,
  flags: {
    also: { type: 'string', multiple: true, default: [] as string[] },
    yes: { type: 'boolean', default: false },
  },
  allowPositionals: true,
  async run({ values, positionals: [workspaceId, typed, ...more] }, environment) {
    if (workspaceId === undefined || typed === undefined || more.length > 0)
      throw new OperatorError(
        'Name a workspace and a person: signalman erase-person WORKSPACE USER --yes.',
        2,
      )
    if (values.also.some((text) => text.trim().length < 3))
      throw new OperatorError('The text after --also must have at least 3 characters.', 2)
    const userId = readUserId(typed)
    await using store = await openStore(readExistingStoreOptions(environment))
    await refuseUnknownWorkspace(store, workspaceId)
    if (!values.yes) {
      const rowCounts = await store.audit.countMentionsByName(workspaceId, {
        userId,
        alsoKnownAs: values.also,
      })
      for (const [name, rows] of rowCounts) printLine(`${name}: in ${pluralize(rows, 'row')} of the log.`)
      printLine(
        `This would permanently remove ${userId} from the audit log and the threat cases of ${workspaceId}. Nothing was changed. To do it, add --yes.`,
      )
      return 2
    }
    const auditEvent = {
      workspaceId,
      actor: { userId: 'operator' },
      verb: 'audit.erase',
      object: 'a person',
      reference: newReference(),
    }
    // Recorded first, so that the log has it even if the process dies halfway.
    await store.audit.append({ ...auditEvent, at: new Date(), outcome: 'begun' })
    const rows = await store.audit.erasePerson(workspaceId, { userId, alsoKnownAs: values.also })
    const erased = await store.erasePerson(workspaceId, { userId, alsoKnownAs: values.also })
    const { cases = 0, undecryptable = 0 } = erased
    const after = { rows, ...Object.fromEntries(Object.entries(erased).filter(([, count]) => count > 0)) }
    await store.audit.append({ ...auditEvent, at: new Date(), after, outcome: 'done' })
    printLine(`${workspaceId}: ${pluralize(rows, 'row')} erased.`)
    if (cases > 0) printLine(`${workspaceId}: removed from ${pluralize(cases, 'threat case')}.`)
    await printRemainingGrants(store, workspaceId, userId)
    if (undecryptable === 0) return 0
    throw new OperatorError(
      `${pluralize(undecryptable, 'threat case')} of ${workspaceId} can’t be decrypted and may still name ${userId}. Everything else is done. Fix that (docs/keys.md, "Data that can’t be decrypted"), then run this again.`,
    )
  },
})

/** A user ID, also as Slack copies it: `<@U012ABC3DEF>`. Any other text would erase other rows than those of the person. */
function readUserId(typed: string): string {
  const id = typed
    .trim()
    .replace(/^<@([^|>]*)(?:\|[^>]*)?>$/, '$1')
    .toUpperCase()
  if (/^[UW][A-Z0-9]+$/.test(id)) return id
  throw new OperatorError(
    `“${typed}” isn’t a Slack user ID, such as U012ABC3DEF. Nothing was changed. For another name of the person, add --also.`,
    2,
  )
}

async function printRemainingGrants(
  { grants }: Pick<Store, 'grants'>,
  workspaceId: string,
  userId: string,
): Promise<void> {
  for (const { role, subject } of await grants.list(workspaceId))
    if (subject.kind === 'user' && subject.id === userId)
      printLine(
        `${workspaceId}: ${userId} still has the ${role} role. An admin can remove it in ${cmd('/hc access')}.`,
      )
}
