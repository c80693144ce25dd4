import { feature, providePort } from '../../bot/feature.ts'
import { bindForm } from '../../bot/forms/form.ts'
import * as ports from '../../bot/ports.ts'
import type { Topic } from '../../bot/routes/routes.ts'
import { createChangeAlerts } from './bulk/change-alerts.ts'
import { changesJob } from './bulk/job.ts'
import { healthCheckCommands, homeSummary } from './commands.ts'
import { exportJob } from './files/export-checks.ts'
import { importForm } from './files/import.ts'
import { createForm } from './forms/create.ts'
import { deleteForm } from './forms/delete.ts'
import { editForm } from './forms/edit.ts'

const TOPIC: Topic = {
  command: 'hc',
  things: /^(?:health|checks?|outages?|alerts?|monitors?)$/i,
  about: /^(?:up|down|monitor\w*|pag(?:ed|ers?|ing)|fail\w*|watch\w*|mut(?:e|es|ed))$/i,
  buttons: [
    { label: 'What is down', line: '/hc down' },
    { label: 'Who is on it', line: '/hc who' },
    { label: 'History', line: '/hc history' },
    { label: 'Mute…', line: '/hc mute' },
  ],
  knows:
    'The service says whether a health check is up or down, but not why or how fast it answers, and an outage ends when it’s up again.',
}

/** `/hc`, `list`, `show`, `create`, `edit`, `delete`, `recipients`, `import`, and `export`. */
export const healthChecks = feature({
  name: 'health-checks',
  provides: [
    providePort(ports.changeAlerts, ({ store: { steps }, queue }) => createChangeAlerts({ queue, steps })),
    providePort(ports.environmentSummary, ({ use }) => {
      const watched = use(ports.watchedChecks)
      return (...args) => homeSummary({ watched }, ...args)
    }),
  ],
  start({ store: { steps, checkLocks: locks }, queue, use }) {
    const watched = use(ports.watchedChecks)
    const deps = { queue, steps }
    const changes = { steps, locks, watched }
    return {
      commands: healthCheckCommands(deps, {
        getCheckNotes: use(ports.checkNotes),
        watched,
      }),
      forms: [
        bindForm(createForm, deps),
        bindForm(editForm, deps),
        bindForm(deleteForm, deps),
        bindForm(importForm, deps),
      ],
      topics: [TOPIC],
      jobs: [changesJob(changes), changesJob(changes, true), exportJob],
    }
  },
})
