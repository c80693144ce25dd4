import type { EditAlert } from '../../../bot/ports.ts'
import { quoted } from '../../../domain/quoting.ts'
import { NOT_SEEN } from '../rules/inverse.ts'
import type { JobDeps } from './start-job.ts'
import { runWindowJob } from './window-job.ts'

/** Changes one alert of a check for a window. */
export const createEditAlert =
  (deps: JobDeps): EditAlert =>
  async (context, { verb, title, doneText, account, check: { uuid, name }, from, to }) => {
    const edited = await runWindowJob(
      deps,
      context,
      { verb, title, doneText, account },
      {
        do: 'edit',
        line: 1,
        name,
        uuid,
        set: {},
        alerts: { alert: { from, to } },
        expects: {},
        seen: NOT_SEEN,
      },
      `/hc alerts ${quoted(uuid)}`,
    )
    return 'message' in edited ? edited : { undoLine: `/hc job-undo ${edited.id}` }
  }
