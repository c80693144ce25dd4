import { feature, providePort } from '../../bot/feature.ts'
import * as ports from '../../bot/ports.ts'
import { handOverCases } from './cases/hand-over-cases.ts'
import { postCase } from './cases/post-case.ts'
import { prepareCase } from './cases/prepare-case.ts'
import { caseCommands, homeCasesSection, watchCommands } from './commands/cases.ts'
import { createThreatDependencies } from './commands/dependencies.ts'
import { detailsCommands } from './commands/details.ts'
import { fileCommands } from './commands/files.ts'
import { lookUpShortcut, showCommand } from './commands/show.ts'
import { THREAT_MENTIONS } from './event-ids/message-ids.ts'
import { threatCases } from './rows/cases.ts'
import { threatShares } from './rows/shares.ts'
import type { StoredThreats } from './rows/stored-threats.ts'
import { THREAT_TABLES } from './rows/tables.ts'
import { createThreatVersions } from './rows/versions.ts'
import { lookWork } from './watched/look-work.ts'

/** `/threat`: cards, files, and cases of threat events, and watching until a page is down. */
export const threats = feature<StoredThreats>({
  name: 'threats',
  tables: THREAT_TABLES,
  open({ database, time, keys }) {
    const rows = {
      threatVersions: createThreatVersions(database),
      threatCases: threatCases(database, time, keys),
      threatShares: threatShares(database),
    }
    return {
      rows,
      async erasePerson(workspaceId, { userId, alsoKnownAs }) {
        const { erased, undecryptable } = await rows.threatCases.erasePerson(workspaceId, userId, alsoKnownAs)
        return { cases: erased, undecryptable }
      },
    }
  },
  provides: [providePort(ports.isReportedTarget, ({ rows }) => rows.threatCases.isReported)],
  start({ store, rows, config, posting, getApi, engine, log, now }) {
    const { wake } = engine
    const { baseUrls } = config
    const stored = { ...store, ...rows }
    const dependencies = createThreatDependencies({
      store: stored,
      baseUrls,
      reportError: posting.reportError,
      now,
    })
    return {
      commands: [
        showCommand(dependencies),
        ...detailsCommands(dependencies),
        ...fileCommands(dependencies),
        ...caseCommands({
          threatCases: rows.threatCases,
          threatShares: rows.threatShares,
          settings: store.settings,
          wake,
          prepareCase: (...args) => prepareCase(dependencies, ...args),
        }),
        ...watchCommands({ ...stored, reader: dependencies.reader, wake }),
      ],
      shortcuts: [lookUpShortcut],
      mentions: [THREAT_MENTIONS],
      home: [{ group: 'yours', section: homeCasesSection(rows.threatCases) }],
      handOver: [handOverCases({ ...rows, wake })],
      slackChangeHandlers: {
        async onPersonChanged(workspaceId, userId) {
          try {
            if ((await rows.threatCases.recheckQuestionsFor(workspaceId, userId)) > 0) wake()
          } catch (err) {
            log.warn({ err }, 'Couldn’t check whether a person who is asked about a threat case has left.')
          }
        },
      },
      work: [
        postCase({ ...posting, ...rows, now }),
        lookWork({ ...rows, audit: store.audit, getApi, pollMs: config.pollMs, now, wake, log }),
      ],
    }
  },
})
