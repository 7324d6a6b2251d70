import { readEnvFile } from '../../compose/read-env-file.ts'
import { writeComposeFiles } from '../../compose/write-compose-files.ts'
import { state } from '../../lib/paths.ts'
import { say } from '../../start/progress.ts'

/**
 * `npm run compose:files`: writes the files that docker-compose.yml needs besides images. Existing
 * files stay.
 */
readEnvFile()
const dir = process.env['COMPOSE_FILES_DIR'] || state.composeDir
const { baseUrl, adminToken } = await writeComposeFiles(dir, process.env)
say(`secrets and the authority of test receivers are in ${dir}

  base URL      ${baseUrl}
  admin token   ${adminToken}

Next: docker compose up --wait`)
