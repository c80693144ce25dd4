import { bindMessage } from '../../bot/bind-buttons.ts'
import { feature } from '../../bot/feature.ts'
import { postCase } from './cases/post-case.ts'
import { caseCommands } from './commands/cases.ts'
import { detailsCommands } from './commands/details.ts'
import { fileCommands } from './commands/files.ts'
import { lookUpShortcut, showCommand } from './commands/show.ts'
import type { StoredThreats, ThreatDependencies } from './dependencies.ts'
import { THREAT_TOPIC } from './event-ids/message-ids.ts'
import { threatCases } from './rows/cases.ts'
import { THREAT_TABLES } from './rows/tables.ts'
import { caseCardView } from './views/case.ts'
import { casesView } from './views/case-queue.ts'

/** `/threat`: cards, windows, files, and cases of threat events. */
export const threats = feature<StoredThreats>({
  name: 'threats',
  tables: THREAT_TABLES,
  open({ database, time, keys }) {
    const rows = { threatCases: threatCases(database, time, keys) }
    return {
      rows,
      async erasePerson(workspaceId, { userId }) {
        const { erased, undecryptable } = await rows.threatCases.erasePerson(workspaceId, userId)
        return { cases: erased, undecryptable }
      },
    }
  },
  start({ rows, config: { baseUrls }, posting, log, engine: { wake } }) {
    const dependencies: ThreatDependencies = {
      ...{ ...rows, log, wake },
      getOrigin: (environment) => new URL(baseUrls[environment]).origin,
    }
    return {
      commands: [
        showCommand(dependencies),
        ...detailsCommands(dependencies),
        ...fileCommands(dependencies),
        ...caseCommands(dependencies),
      ],
      shortcuts: [lookUpShortcut],
      topics: [THREAT_TOPIC],
      async nearby({ workspaceId, now }, thread) {
        const cases = thread ? await rows.threatCases.listByMessage(workspaceId, thread) : []
        const [first, ...others] = cases
        if (!first) return undefined
        const { environment } = first
        const isOnly = others.length === 0 && !('sealError' in first)
        const card = isOnly ? caseCardView(first) : casesView(cases, now)
        return {
          card: bindMessage(card, environment),
          command: 'threat',
          checks: [],
          environment,
          buttons: [],
        }
      },
      work: [postCase({ ...posting, threatCases: rows.threatCases })],
    }
  },
})
