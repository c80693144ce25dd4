import { FieldErrors, HOUR_MS, TEXT_LIMITS } from '@signalman/runtime'
import { fileInput, section, switchInput } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import type { WatchCommandParts } from '../commands/mutes.ts'
import { planView } from '../views/files.ts'
import { planWatches } from './apply-watches.ts'
import { readWatchFile } from './watch-file.ts'

const KEPT_MS = HOUR_MS

/** Asks for a file of watches. Sending it is a dry run, whose outcome holds the button that applies it. */
export const importWatchesForm = form({
  id: 'watching.import',
  title: 'Import watches',
  button: 'Try the file',
  verb: '/hc watch-import',
  needs: 'operator',
  working: 'Trying the file…',
  asks: () => ({
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
  }),
  read(answers) {
    const [fileId] = answers.files('file')
    if (!fileId) throw new FieldErrors({ file: 'Choose a file.' })
    return { fileId, deletes: answers.choices('delete').includes('yes') }
  },
  async submit(context, { fileId, deletes }, _, { watching, ephemeralState }: WatchCommandParts) {
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
})
