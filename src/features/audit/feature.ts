import { feature } from '../../bot/feature.ts'
import { deleteUpTo } from '../../bot/retention/sweeping.ts'
import { auditCommands } from './commands.ts'
import { rowsLeftWork } from './rows-left-work.ts'

/** `/hc audit` shows admins who did what. With `--mine`, anyone can see their own activity. */
export const audit = feature({
  name: 'audit',
  start: ({ store, routes, posting, engine }) => ({
    commands: auditCommands(
      {
        ...store,
        async deleteUpTo(workspaceId, last) {
          await deleteUpTo(store, workspaceId, last)
          engine.wake()
        },
      },
      routes,
    ),
    work: [rowsLeftWork({ ...store, posting })],
  }),
})
