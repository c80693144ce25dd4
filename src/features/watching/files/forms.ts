import { FieldErrors, HOUR_MS, TEXT_LIMITS } from '@signalman/runtime'
import { fileInput, section, switchInput } from '@signalman/slack'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import type { WatchCommandParts } from '../commands/mutes.ts'
import { planView } from '../views/files.ts'
import { planWatches } from './apply-watches.ts'
import { readWatchFile } from './watch-file.ts'

const FORM = 'watching.import'
const KEPT_MS = HOUR_MS

interface TypedFile {
  fileId: string
  deletes: boolean
}

/** Asks for a file of watches. Sending it changes nothing: it shows first what the file would change. */
export const importWatchesModal = (): Modal => ({
  title: 'Import watches',
  form: { id: FORM, submit: 'Try the file' },
  blocks: [
    section(
      'The file is tried first; nothing changes before you have seen what it would change. A file from /hc watches --export can be used as it is.',
    ),
    fileInput('file', 'File of watches', { types: ['json', 'txt'], hint: 'JSON, at most 512 KB.' }),
    switchInput('delete', 'What the file does not have', {
      says: 'End every watch and daily summary that is not in the file',
      isOn: false,
    }),
  ],
})

/** The form of `importWatchesModal`: a dry run, whose outcome holds the button that applies it. */
export function importWatchesForm({
  watching,
  ephemeralState,
}: WatchCommandParts): Form<TypedFile, undefined> {
  return {
    id: FORM,
    verb: '/hc watch-import',
    needs: 'operator',
    working: 'Trying the file…',
    read(answers) {
      const [fileId] = answers.files('file')
      if (!fileId) throw new FieldErrors({ file: 'Choose a file.' })
      return { fileId, deletes: answers.choices('delete').includes('yes') }
    },
    async submit(context, { fileId, deletes }) {
      const slack = await context.slack()
      const { bytes } = await slack.download(fileId, TEXT_LIMITS.watchFileBytes)
      const filed = readWatchFile(bytes)
      const plan = await planWatches(watching, context, filed, deletes)
      const { workspaceId, now } = context
      const stateId = await ephemeralState.save({
        workspaceId,
        body: { filed, deletes },
        expiresAt: new Date(now.getTime() + KEPT_MS),
      })
      return planView(plan, stateId)
    },
  }
}
