import * as fc from 'fast-check';

/**
 * Inputs made at random are the same in every run, so that no change is stopped by what another one left to chance;
 * `SEED=$RANDOM npm run test:all` looks further.
 */
fc.configureGlobal({...fc.readConfigureGlobal(), seed: Number(process.env['SEED'] ?? 1)});
