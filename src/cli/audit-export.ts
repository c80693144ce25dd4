import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Audit, errorCode } from '@signalman/durable'
import { openStore } from '../app/store.ts'
import { OperatorError } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'
import { openStandardOutput } from './standard-streams.ts'
import { readExistingStoreOptions } from './store-from-environment.ts'

const HELP = `
Writes every audit entry, oldest first, as JSON Lines, like the export in Slack. Exports all workspaces,
or one. The app can keep running. Entries added in the meantime are left out.

  --workspace ID   exports the log of this workspace only

Read from the environment: DATABASE_URL, ENCRYPTION_KEYS.
`

export const auditExport = operatorVerb({
  help: HELP,
  flags: { workspace: { type: 'string' } },
  async run({ values }, environment) {
    await using store = await openStore(readExistingStoreOptions(environment))
    const workspaces = await store.audit.listWorkspaces()
    const { workspace } = values
    if (workspace !== undefined && !workspaces.includes(workspace))
      throw new OperatorError(
        `There’s no audit log for ${workspace}. There are logs for: ${workspaces.join(', ') || 'none'}.`,
      )
    const selected = workspace === undefined ? workspaces : [workspace]
    // Waits for the reader, which may be slow or stop early.
    const output = openStandardOutput()
    await pipeline(Readable.from(formatLines(store.audit, selected)), output).catch((error: unknown) => {
      // `signalman audit export | head` closes the pipe, which isn't an error.
      if (errorCode(error) !== 'EPIPE') throw error
    })
    return 0
  },
})

async function* formatLines(audit: Audit, workspaces: readonly string[]): AsyncGenerator<string> {
  for (const workspaceId of workspaces)
    for await (const row of audit.readAll({ workspaceId })) yield `${JSON.stringify(row)}\n`
}
