import type { Routes } from '../../../bot/routes/routes.ts'
import type { Arguments } from '../../../bot/typed/command-line.ts'
import { findCheckId } from '../../../domain/find-check.ts'
import { quoted } from '../../../domain/quoting.ts'
import type { EphemeralState } from '../../../store/work/ephemeral-state.ts'
import { previewBulk } from '../bulk/apply-bulk.ts'
import { bulkModal } from '../bulk/forms.ts'
import { parseBulk, SET_FLAGS } from '../bulk/parse.ts'
import { customersSeen } from '../customers-seen.ts'
import { CREATE_FLAGS, createForm, createModal, knownFrom } from '../forms/create.ts'
import { deleteForm, deleteModal } from '../forms/delete.ts'
import { editForm, editModal, saveAnyway } from '../forms/edit.ts'
import { FILTER_FLAGS } from '../parse.ts'
import { givenAddress } from '../server-address.ts'
import { undelete } from '../undelete.ts'

/** Whether a line means many checks: by a `*`, a filter, or what is set on all of them. */
const isAboutMany = ({ words, flags }: Arguments): boolean =>
  words.some((word) => word.includes('*')) ||
  [...Object.keys(FILTER_FLAGS), ...Object.keys(SET_FLAGS), 'names'].some((flag) => flags[flag] !== undefined)

/** `/hc create`, `edit` and `delete`: of one check in a window, of many by a preview. */
export function changingCommands(routes: Routes, ephemeralState: EphemeralState): void {
  routes.verb({
    command: 'hc',
    verb: 'create',
    usage: 'create [--name N] [--target T] [--protocol P] [--customer N]',
    does: 'Create a health check, with what is known already filled in',
    needs: 'operator',
    alsoTyped: { add: 'create', new: 'create' },
    opens: true,
    flags: CREATE_FLAGS,
    async run(context, { flags }) {
      const customers = await customersSeen(await context.api())
      return createModal(context.environment === 'ote', knownFrom(flags), customers)
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'edit',
    usage: 'edit NAME|UUID, or edit NAME* [--status S] … --frequency N|--port N|--verify-ssl yes|no …',
    does: 'Change a health check; with a * or a filter, many at once after a preview',
    needs: 'operator',
    alsoTyped: { change: 'edit', update: 'edit' },
    opens: true,
    flags: { ...FILTER_FLAGS, ...SET_FLAGS, names: 'value' },
    async run(context, args) {
      if (isAboutMany(args)) {
        const request = parseBulk('edit', args)
        if (Object.keys(request.patch).length > 0) return previewBulk(context, request)
        return bulkModal(request, context.environment === 'ote')
      }
      const uuid = await findCheckId(context, args.words, (uuid) => `/hc edit ${quoted(uuid)}`)
      const { healthChecks } = await context.api()
      const check = await healthChecks.get(uuid)
      const given = await givenAddress(healthChecks, check)
      return editModal(check, given, context.environment === 'ote')
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'delete',
    usage: 'delete NAME|UUID, or delete NAME* [--status S] [--customer N] …',
    does: 'Delete a health check, after a confirmation; with a * or a filter, many at once after a preview',
    needs: 'operator',
    alsoTyped: { remove: 'delete', rm: 'delete', del: 'delete' },
    opens: true,
    flags: { ...FILTER_FLAGS, names: 'value' },
    async run(context, args) {
      if (isAboutMany(args)) return previewBulk(context, parseBulk('delete', args))
      const uuid = await findCheckId(context, args.words, (uuid) => `/hc delete ${quoted(uuid)}`)
      const { healthChecks, alerts } = await context.api()
      const [check, known] = await Promise.all([healthChecks.get(uuid), alerts.list(uuid)])
      return deleteModal(check, known, context.environment === 'ote')
    },
  })

  hiddenCommands(routes, ephemeralState)
  routes.form(createForm)
  routes.form(editForm(ephemeralState))
  routes.form(deleteForm(ephemeralState))
}

/** What only buttons ask for. */
function hiddenCommands(routes: Routes, ephemeralState: EphemeralState): void {
  routes.verb({
    command: 'hc',
    verb: 'edit-anyway',
    usage: 'edit-anyway STATE',
    does: 'Save an edit over what somebody else has changed',
    needs: 'operator',
    acts: true,
    hidden: true,
    run: (context, { words: [stateId = ''] }) => saveAnyway(ephemeralState, context, stateId),
  })

  routes.verb({
    command: 'hc',
    verb: 'undelete',
    usage: 'undelete STATE',
    does: 'Create a deleted health check and its alerts again',
    needs: 'operator',
    acts: true,
    hidden: true,
    run: (context, { words: [undoId = ''] }) => undelete(ephemeralState, context, undoId),
  })
}
