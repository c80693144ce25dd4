import type { Routes } from '../../../bot/routes/routes.ts'
import { BULK, changesJob } from './changes-job.ts'
import { undoables } from './places.ts'
import { cancelChanges, openJobs, startChanges } from './start-changes.ts'
import { type UndoParts, undoJob } from './undo.ts'
import { homeJobBlocks, jobsView, undoView } from './views.ts'

/** `/hc jobs`, and what the buttons of a job do. */
export function jobCommands(routes: Routes, parts: UndoParts): void {
  routes.verb({
    typed: '/hc jobs',
    does: 'Show the imports and other changes of many health checks that run, and stop them',
    needs: 'operator',
    redraws: true,
    run: async (context) => jobsView(await openJobs(parts, context), context.now),
  })

  routes.verb({
    typed: '/hc undo',
    does: 'Undo the last deletion, import or change of many health checks that you made',
    needs: 'operator',
    run: async (context) => undoView(await undoables(parts.ephemeralState, context)),
  })

  routes.verb({
    typed: '/hc job-start JOB [--yes]',
    does: 'Let an import or a change of many health checks run, or go on',
    needs: 'operator',
    acts: true,
    hidden: true,
    flags: { yes: 'switch' },
    run: (context, { words: [id = ''], flags }) =>
      startChanges(parts, context, id, { isSure: flags.yes === true }),
  })

  routes.verb({
    typed: '/hc job-cancel JOB',
    does: 'Stop an import or a change of many health checks',
    needs: 'operator',
    acts: true,
    hidden: true,
    run: (context, { words: [id = ''] }) => cancelChanges(parts, context, id),
  })

  routes.verb({
    typed: '/hc job-undo JOB [--yes]',
    does: 'Take back all that an import or a change of many health checks has done',
    needs: 'operator',
    acts: true,
    hidden: true,
    flags: { yes: 'switch' },
    run: (context, { words: [id = ''], flags }) => undoJob(parts, context, id, flags.yes === true),
  })

  routes.homeSection('for you', async (context) =>
    homeJobBlocks(await openJobs(parts, context, context.userId)),
  )
  routes.job(changesJob(BULK, '/hc bulk', parts))
}
