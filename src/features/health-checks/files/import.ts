import { FieldErrors, TEXT_LIMITS, UserError } from '@signalman/runtime'
import { fileInput, type Message, section } from '@signalman/slack'
import { form } from '../../../bot/forms/form.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import { cmd } from '../../../domain/command-names.ts'
import { ENVIRONMENT_NAMES, ENVIRONMENTS, type Environment } from '../../../domain/environment.ts'
import { pluralize } from '../../../domain/wording.ts'
import { writeCommand } from '../../../domain/write-command.ts'
import { preview } from '../bulk/preview.ts'
import type { BulkDeps } from '../bulk/start.ts'
import { type FileRow, parseFile } from './parse-file.ts'
import { planFile } from './plan-file.ts'

/** The form that asks for a CSV file. Submitting it shows the preview. */
export const importForm = form({
  id: 'health-checks.import',
  title: 'Import health checks',
  button: 'Check the file',
  verb: '/hc import',
  needs: 'operator',
  isAct: false,
  workingText: 'Reading the file and comparing it with the service…',
  showsOteLabel: true,
  content: () => ({
    blocks: [
      section(
        'You see a preview first. A row changes the health check with its uuid or name, or creates one. An import deletes none.',
      ),
      fileInput('file', 'CSV file', {
        types: ['csv', 'txt'],
        hint: `Begin with the file of ${cmd('/hc export')}.`,
      }),
    ],
  }),
  read(answers) {
    const [fileId] = answers.files('file')
    if (!fileId) throw new FieldErrors({ file: 'Choose a CSV file.' })
    return fileId
  },
  submit: (context, fileId, _, deps: BulkDeps) => previewFile(deps, context, fileId),
})

/** Previews the import of a file that Slack has. */
export async function previewFile(deps: BulkDeps, context: CommandContext, fileId: string): Promise<Message> {
  const { name, bytes } = await (await context.slack()).download(fileId, {
    userId: context.userId,
    maxBytes: TEXT_LIMITS.fileBytes,
  })
  const content = await parseFile(bytes)
  refuseOtherEnvironment(content.rows, context.environment, fileId)
  const api = await context.api()
  const notes = content.ignored.length > 0 ? [`Ignored columns: ${content.ignored.join(', ')}.`] : []
  const { unknown, ...planned } = await planFile(api, content)
  if (unknown > 0)
    notes.push(
      `${pluralize(unknown, 'row')} ${unknown === 1 ? 'has a UUID that no health check has, so it' : 'have UUIDs that no health check has, so they'} would create a health check with another one.`,
    )
  // Only the file of what was before a change names the environment.
  const does = content.rows.some((row) => row.environment !== undefined) ? 'Go back to' : 'Import'
  const about = { verb: '/hc import', title: `${does} ${name}`, notes, account: api.account }
  return preview(deps, context, { ...about, ...planned })
}

/** Throws UserError for a file of what was before a change in the other environment. */
function refuseOtherEnvironment(rows: readonly FileRow[], environment: Environment, fileId: string): void {
  const other = rows.find((row) => row.environment !== undefined && row.environment !== environment)
  if (!other) return
  const found = ENVIRONMENTS.find((each) => each === other.environment)
  if (!found)
    throw new UserError(`Line ${other.line} has an unknown environment. Write ${ENVIRONMENTS.join(' or ')}.`)
  throw new UserError(
    `Line ${other.line} is about ${ENVIRONMENT_NAMES[found]}, but this import is for ${ENVIRONMENT_NAMES[environment]}.`,
    [
      {
        label: `Import into ${ENVIRONMENT_NAMES[found]}`,
        line: writeCommand('/hc import', { words: [fileId], environment: found }),
      },
    ],
  )
}
