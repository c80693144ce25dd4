import fc from 'fast-check'
import { readSeed } from './random.ts'

// Otherwise, fast-check would choose its own seed, and a second run of a failed file wouldn't repeat it.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: readSeed() })
