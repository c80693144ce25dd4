import { feature } from '../../bot/feature.ts'
import { bindForm } from '../../bot/forms/form.ts'
import { alertCommands } from './commands.ts'
import { addForm, editForm, removeForm } from './forms.ts'

/** `/hc alerts`: who gets email from the service when the status of a check changes. */
export const alerts = feature({
  name: 'alerts',
  start({ store: { checkLocks: locks }, config: { maxInFlightMs } }) {
    const deps = { locks, maxInFlightMs }
    const forms = [bindForm(addForm, deps), bindForm(editForm, deps), bindForm(removeForm, deps)]
    return { commands: alertCommands, forms }
  },
})
