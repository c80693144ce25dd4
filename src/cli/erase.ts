import { randomUUID } from 'node:crypto'
import { openStore, type Store } from '../app/store.ts'
import { counted } from '../domain/wording.ts'
import { OperatorError, say } from './operator.ts'
import { existingStore } from './store-from-environment.ts'
import { operatorVerb } from './verbs.ts'

const newReference = (): string => randomUUID().slice(0, 8)

/** `erase-workspace ID --yes`. */
export const eraseWorkspaceVerb = operatorVerb({
  help: `
Deletes every row of the workspace from every table: tokens, roles, settings, orders, watches, and the audit log, of which
one row stays that says so and how much it was, and that its keys were destroyed. Nothing brings it back.
It can be killed at any point and run again.
The key of its rows in backups is destroyed too: no backup opens anything of it, once the file of the workspaces' keys
beside them is renewed (by the next backup, or signalman backup --keys-only --keys PATH) and no older copy of that file is kept.
It is erased from what restores have put aside too; whatever of that cannot be read is deleted as a whole.

Without --yes it says what would be erased, and changes nothing. Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`,
  flags: { yes: { type: 'boolean', default: false } },
  hasWords: true,
  async run({ values, positionals: [workspace, ...more] }, environment) {
    if (workspace === undefined || more.length > 0)
      throw new OperatorError('Name one workspace: signalman erase-workspace ID --yes.', 2)
    await using store = await openStore(existingStore(environment))
    await refuseUnknown(store, workspace)
    if (!values.yes) {
      const { rows } = await store.audit.verify(workspace)
      for (const { name } of await store.asides.list())
        say(`It would also be erased from ${name}, which a restore put aside.`)
      say(
        `This would erase ${counted(rows, 'row')} of the audit log of ${workspace}, and everything else of it. Nothing was changed: add --yes to do it.`,
      )
      return 2
    }
    const erased = await store.eraseWorkspace(workspace, newReference())
    for (const [table, rows] of erased) say(`${table}: ${counted(rows, 'row')} erased`)
    for (const { name, isKept } of await store.asides.erase(workspace, new Date()))
      say(isKept ? `${name}: erased there too` : `${name}: could not be read, and was deleted`)
    say(`${workspace}: erased. Its audit log holds one row that says so.`)
    say(
      'Renew the file of the workspaces’ keys that is kept with the backups (signalman backup --keys-only --keys PATH), and keep no older one: then no backup opens anything of it.',
    )
    return 0
  },
})

/** A slip in an id must not read as if something had been erased. */
async function refuseUnknown(store: Pick<Store, 'knows'>, workspace: string): Promise<void> {
  if (await store.knows(workspace)) return
  const meant = workspace.toUpperCase()
  const isMeant = meant !== workspace && (await store.knows(meant))
  throw new OperatorError(
    `Nothing is stored of ${workspace}, and nothing was changed.${isMeant ? ` Is ${meant} meant?` : ''}`,
  )
}

/** `erase-person WORKSPACE USER [--also TEXT…] --yes`. */
export const erasePersonVerb = operatorVerb({
  help: `
Takes a person out of the audit log of a workspace: out of the rows of what they did, and out of every row that names them
by their Slack id or, with --also, by another name, such as an e-mail address: as a whole word, in upper or lower case.
Such a row loses what it was about and what was changed; it keeps its place, its time, its verb and its hash, so that the
chain stays whole. The log says how many rows it was, and not of whom. In the cases of threat events somebody stands where
they stood; requests for access that they made or decided on go, and so does what tells them alone. What holds on keeps
their id: roles, which it names, orders, watches, mutes, maintenance, and by whom the app and a token were stored.
Backups made before still hold them. Where cases do not open, it says how many and ends with 1: they may still
name the person, sealed. Once they open again (docs/keys.md says what helps), run it again.

Without --yes it says in how many rows each name stands, and changes nothing. Read from the environment: DATABASE_URL,
ENCRYPTION_KEYS.
`,
  flags: {
    also: { type: 'string', multiple: true, default: [] as string[] },
    yes: { type: 'boolean', default: false },
  },
  hasWords: true,
  async run({ values, positionals: [workspaceId, userId, ...more] }, environment) {
    if (workspaceId === undefined || userId === undefined || more.length > 0)
      throw new OperatorError(
        'Name a workspace and a person: signalman erase-person WORKSPACE USER --yes.',
        2,
      )
    if (values.also.some((text) => text.trim().length < 3))
      throw new OperatorError('The text after --also must have at least 3 characters.', 2)
    await using store = await openStore(existingStore(environment))
    await refuseUnknown(store, workspaceId)
    if (!values.yes) {
      const named = await store.audit.countNamed(workspaceId, { userId, alsoKnownAs: values.also })
      for (const [name, rows] of named) say(`${name}: in ${counted(rows, 'row')} of the log.`)
      say(
        `${userId} would be taken out of the log, the threat cases and the requests for access of ${workspaceId} for good. Nothing was changed: add --yes to do it.`,
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
    // First: a process that dies has erased rows of which the log says that they may be.
    await store.audit.append({ ...auditEvent, at: new Date(), outcome: 'begun' })
    const rows = await store.audit.erasePerson(workspaceId, { userId, alsoKnownAs: values.also })
    const erased = await store.erasePerson(workspaceId, { userId, alsoKnownAs: values.also })
    const { cases = 0, requests = 0, unopened = 0 } = erased
    const after = { rows, ...Object.fromEntries(Object.entries(erased).filter(([, count]) => count > 0)) }
    await store.audit.append({ ...auditEvent, at: new Date(), after, outcome: 'done' })
    say(`${workspaceId}: ${counted(rows, 'row')} erased.`)
    if (cases > 0) say(`${workspaceId}: taken out of ${counted(cases, 'threat case')}.`)
    if (requests > 0) say(`${workspaceId}: ${counted(requests, 'request')} for access deleted.`)
    await sayWhatStays(store, workspaceId, userId)
    if (unopened === 0) return 0
    throw new OperatorError(
      `${counted(unopened, 'threat case')} of ${workspaceId} cannot be opened, and may still name ${userId}, sealed. All else is done. Mend that (docs/keys.md, "What does not open"), then run this again.`,
    )
  },
})

async function sayWhatStays(
  { grants }: Pick<Store, 'grants'>,
  workspaceId: string,
  userId: string,
): Promise<void> {
  for (const { role, subject } of await grants.list(workspaceId))
    if (subject.kind === 'user' && subject.id === userId)
      say(`${workspaceId}: ${userId} still has the role ${role}. An admin takes it away in /hc access.`)
}
