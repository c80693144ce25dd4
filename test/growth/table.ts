import { answerWorks } from './answers.ts'
import { fileWorks } from './files.ts'
import type { Work } from './grow.ts'
import { lineWorks } from './lines.ts'
import { requestWorks } from './requests.ts'
import { rowWorks } from './rows.ts'
import { settingWorks } from './settings.ts'
import { storeWorks } from './stores.ts'
import { textWorks } from './texts.ts'

/** Everything that reads what others send, and everything that goes over rows that people make. */
export const WORKS: readonly ((
  seed: number,
  everyNth: number,
) => readonly Work[] | Promise<readonly Work[]>)[] = [
  textWorks,
  fileWorks,
  requestWorks,
  answerWorks,
  rowWorks,
  storeWorks,
  settingWorks,
  lineWorks,
]
