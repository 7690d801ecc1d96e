export { MatterType } from './matter-type';
