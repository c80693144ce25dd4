import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Audit, codeOf } from '@signalman/durable'
import { openStore } from '../app/store.ts'
import { OperatorError } from './operator.ts'
import { existingStore } from './store-from-environment.ts'
import { operatorVerb } from './verbs.ts'

const HELP = `
Writes every row, oldest first, as JSON Lines: what /hc audit exports, of all workspaces or of one, with each row's hash.
The app may go on serving; what is added meanwhile is left to the next export.

  --workspace ID   exports the log of this workspace only

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

export const auditExport = operatorVerb({
  help: HELP,
  flags: { workspace: { type: 'string' } },
  async run({ values }, environment) {
    await using store = await openStore(existingStore(environment))
    const workspaces = await store.audit.workspaces()
    const { workspace } = values
    if (workspace !== undefined && !workspaces.includes(workspace))
      throw new OperatorError(
        `There is no audit log of ${workspace}. There are: ${workspaces.join(', ') || 'none'}.`,
      )
    const wanted = workspace === undefined ? workspaces : [workspace]
    // Whoever reads it decides how fast it is written, and may stop reading.
    await pipeline(Readable.from(lines(store.audit, wanted)), process.stdout, { end: false }).catch(
      (error: unknown) => {
        // `signalman audit export | head` ends the reading, which is no fault.
        if (codeOf(error) !== 'EPIPE') throw error
      },
    )
    return 0
  },
})

async function* lines(audit: Audit, workspaces: readonly string[]): AsyncGenerator<string> {
  for (const workspaceId of workspaces)
    for await (const row of audit.read({ workspaceId })) yield `${JSON.stringify(row)}\n`
}
