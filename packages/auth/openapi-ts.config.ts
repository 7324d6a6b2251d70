/** Types only: the package sends its few calls itself. */
export default {
  input: '../../contracts/openapi/auth.json',
  output: { path: 'src/generated', entryFile: false },
  plugins: ['@hey-api/typescript'],
}
