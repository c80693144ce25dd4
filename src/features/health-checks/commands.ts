import type { Queue } from '../../bot/jobs/job-queue.ts'
import type { Routes } from '../../bot/routes/routes.ts'
import { findCheckId } from '../../domain/find-check.ts'
import { quoted } from '../../domain/quoting.ts'
import type { Store } from '../../store/store.ts'
import { fileCommands } from './files/commands.ts'
import { CREATE_FLAGS, createForm, createModal, knownFrom } from './forms/create.ts'
import { deleteForm, deleteModal } from './forms/delete.ts'
import { editForm, editModal, saveAnyway } from './forms/edit.ts'
import { FILTER_FLAGS, PLACE_FLAGS, parseFilters } from './parse.ts'
import { readListing } from './read-listing.ts'
import { givenAddress } from './server-address.ts'
import { summarize } from './summarize.ts'
import { undelete } from './undelete.ts'
import { checkView } from './views/check.ts'
import { listView } from './views/list.ts'
import { summaryView } from './views/summary.ts'

interface HealthCheckParts {
  pageSize?: number | undefined
  queue: Queue
  store: Pick<Store, 'workSteps' | 'ephemeralState'>
}

/** `/hc`, and its verbs list, show, create, edit, delete, export and import. */
export function healthCheckCommands(routes: Routes, parts: HealthCheckParts): void {
  const { pageSize = 15, queue, store } = parts
  const { ephemeralState } = store
  routes.verb({
    command: 'hc',
    verb: '',
    usage: '',
    does: 'How many health checks are up and down, what is down first',
    needs: 'viewer',
    redraws: true,
    shares: 'open',
    alsoTyped: { status: '', summary: '', overview: '' },
    run: async (ask) => summaryView(await summarize(await ask.api()), ask.environment, ask.now),
  })

  routes.verb({
    command: 'hc',
    verb: 'list',
    usage:
      'list [name*] [--status S] [--protocol P] [--target T] [--customer N] [--no-subsidiaries] [--sort name|uuid]',
    does: 'List health checks, what is down first; * in a name stands for anything',
    needs: 'viewer',
    redraws: true,
    shares: 'open',
    alsoTyped: {
      ls: 'list',
      search: 'list',
      find: 'list',
      down: 'list --status UNHEALTHY',
      unhealthy: 'list --status UNHEALTHY',
      up: 'list --status HEALTHY',
      healthy: 'list --status HEALTHY',
    },
    example: 'list web-* --status UNHEALTHY',
    flags: { ...FILTER_FLAGS, ...PLACE_FLAGS },
    async run(ask, args) {
      const { filters, ...place } = parseFilters(args)
      const listed = await readListing(await ask.api(), filters, place, pageSize)
      return listView(listed, filters, pageSize, ask.environment, ask.now)
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'show',
    usage: 'show NAME|UUID',
    does: 'Show one health check in full, with its alerts',
    needs: 'viewer',
    redraws: true,
    shares: 'open',
    async run(ask, { words }) {
      const uuid = await findCheckId(ask, words, (uuid) => `/hc show ${quoted(uuid)}`)
      const { healthChecks, alerts } = await ask.api()
      const [check, known] = await Promise.all([
        healthChecks.get(uuid),
        alerts.list(uuid).catch(() => 'could not be read just now'),
      ])
      return checkView(check, known, ask.environment, ask.now)
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'create',
    usage: 'create [--name N] [--target T] [--protocol P] [--customer N]',
    does: 'Create a health check, with what is known already filled in',
    needs: 'operator',
    alsoTyped: { add: 'create', new: 'create' },
    opens: true,
    flags: CREATE_FLAGS,
    async run(ask, { flags }) {
      await ask.api()
      return createModal(ask.environment === 'ote', knownFrom(flags))
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'edit',
    usage: 'edit NAME|UUID',
    does: 'Change a health check',
    needs: 'operator',
    alsoTyped: { change: 'edit', update: 'edit' },
    opens: true,
    async run(ask, { words }) {
      const uuid = await findCheckId(ask, words, (uuid) => `/hc edit ${quoted(uuid)}`)
      const { healthChecks } = await ask.api()
      const check = await healthChecks.get(uuid)
      const given = await givenAddress(healthChecks, check)
      return editModal(check, given, ask.environment === 'ote')
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'delete',
    usage: 'delete NAME|UUID',
    does: 'Delete a health check, after a confirmation',
    needs: 'operator',
    alsoTyped: { remove: 'delete', rm: 'delete', del: 'delete' },
    opens: true,
    async run(ask, { words }) {
      const uuid = await findCheckId(ask, words, (uuid) => `/hc delete ${quoted(uuid)}`)
      const { healthChecks, alerts } = await ask.api()
      const [check, known] = await Promise.all([healthChecks.get(uuid), alerts.list(uuid)])
      return deleteModal(check, known, ask.environment === 'ote')
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'edit-anyway',
    usage: 'edit-anyway STATE',
    does: 'Save an edit over what somebody else has changed',
    needs: 'operator',
    acts: true,
    hidden: true,
    run: (ask, { words: [stateId = ''] }) => saveAnyway(ephemeralState, ask, stateId),
  })

  routes.verb({
    command: 'hc',
    verb: 'undelete',
    usage: 'undelete STATE',
    does: 'Create a deleted health check and its alerts again',
    needs: 'operator',
    acts: true,
    hidden: true,
    run: (ask, { words: [undoId = ''] }) => undelete(ephemeralState, ask, undoId),
  })

  fileCommands(routes, { queue, steps: store.workSteps })
  routes.form(createForm)
  routes.form(editForm(ephemeralState))
  routes.form(deleteForm(ephemeralState))
}
