/** The commands of `npx vivace`, in the order of its help. */
import { enrolCommand } from '../enrol/enrol-command.ts'
import { replayCommand } from '../replay/replay-command.ts'
import { adminCommand } from './admin-command.ts'
import { backupCommand, restoreCommand } from './backup-commands.ts'
import { checkCommand } from './check-command.ts'
import type { Command } from './command.ts'
import { doctorCommand } from './doctor-command.ts'
import { encryptCommand } from './encrypt-command.ts'
import { migrateCommand } from './migrate-command.ts'
import { modelsCommand } from './models-command.ts'
import { serveCommand } from './serve-command.ts'

export const commands: readonly Command[] = [
  checkCommand,
  serveCommand,
  doctorCommand,
  modelsCommand,
  migrateCommand,
  enrolCommand,
  backupCommand,
  restoreCommand,
  replayCommand,
  encryptCommand,
  adminCommand,
]
