import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { describeColumns, type Report } from '../columns/report';
import { feeAnalysisReport } from '../fee-analysis/columns';
import { workItemReport } from '../work-items/columns';

function rowScalar(name: string, report: Report): GraphQLScalarType {
  return new GraphQLScalarType({
    name,
    description: `An object with the requested columns, by colId, and with the fields that pivots make.\n\nColumns:\n${describeColumns(report)}`,
  });
}

export const WorkItemRow = rowScalar('WorkItemRow', workItemReport);
export const FeeAnalysisRow = rowScalar('FeeAnalysisRow', feeAnalysisReport);

/** Any text: the criteria refuse a text that is not a day, because they know the path of the fault. */
export const DateScalar = new GraphQLScalarType<string, string>({
  name: 'Date',
  description: 'A calendar day, `YYYY-MM-DD`.',
  parseValue(value) {
    if (typeof value === 'string') return value;
    throw new GraphQLError('A date is a text of the form YYYY-MM-DD.');
  },
  parseLiteral(node: ValueNode) {
    if (node.kind === Kind.STRING) return node.value;
    throw new GraphQLError('A date is a text of the form YYYY-MM-DD.', { nodes: node });
  },
});

export const GroupKey = new GraphQLScalarType({
  name: 'GroupKey',
  description: 'The value of a group as a row shows it: a text, a number, true, false or null.',
  parseValue(value) {
    if (['string', 'number', 'boolean'].includes(typeof value)) return value;
    throw new GraphQLError('A group key is a text, a number, true, false or null.');
  },
  parseLiteral(node: ValueNode) {
    if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return Number(node.value);
    if (node.kind === Kind.STRING || node.kind === Kind.BOOLEAN) return node.value;
    throw new GraphQLError('A group key is a text, a number, true, false or null.', { nodes: node });
  },
});
